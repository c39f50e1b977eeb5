package checktest

import (
	"errors"
	"math"
	"testing"
)

// recorder counts failures.
type recorder struct {
	testing.TB
	failures int
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.failures++ }

func TestChecksFail(t *testing.T) {
	var sink []byte
	nan, inf := math.NaN(), math.Inf(1)
	for name, f := range map[string]func(t testing.TB){
		"far":      func(t testing.TB) { Near(t, "x", 1, 1.1, 1e-3) },
		"NaN":      func(t testing.TB) { Near(t, "x", nan, 1, 1e9); Near(t, "x", nan, nan, 1e9) },
		"infinite": func(t testing.TB) { Near(t, "x", inf, 1, 1) },
		"length":   func(t testing.TB) { NearAll(t, "x", []float64{1}, []float64{1, 2}, 1) },
		"no panic": func(t testing.TB) { Panics(t, "p: ", "", func() {}) },
		"prefix":   func(t testing.TB) { Panics(t, "p: ", "word", func() { panic("q: word") }) },
		"allocs":   func(t testing.TB) { NoAllocs(t, "f", func() { sink = append([]byte(nil), 1) }) },
		"no error": func(t testing.TB) { Refuses(t, "x", nil) },
		"another":  func(t testing.TB) { Refuses(t, "x", errors.New("no"), "no", "yes") },
	} {
		var r recorder
		if f(&r); r.failures == 0 {
			t.Errorf("%s: no failure", name)
		}
	}
	_ = sink
	Near(t, "near", 1e300, 1e300*(1+1e-12), 1e-9)
	Near(t, "equal", inf, inf, 0)
	Panics(t, "p: ", "word", func() { panic("p: a word") })
}
