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
	for name, f := range map[string]func(t testing.TB){
		"far":         func(t testing.TB) { Near(t, "x", 1, 1.1, 1e-3) },
		"NaN":         func(t testing.TB) { Near(t, "x", math.NaN(), 1, 1e9) },
		"both NaN":    func(t testing.TB) { Near(t, "x", math.NaN(), math.NaN(), 1e9) },
		"infinite":    func(t testing.TB) { Near(t, "x", math.Inf(1), 1, 1) },
		"length":      func(t testing.TB) { NearAll(t, "x", []float64{1}, []float64{1, 2}, 1) },
		"no panic":    func(t testing.TB) { Panics(t, "p: ", "", func() {}) },
		"prefix":      func(t testing.TB) { Panics(t, "p: ", "word", func() { panic("q: word") }) },
		"words":       func(t testing.TB) { Panics(t, "p: ", "word", func() { panic("p: none") }) },
		"no error":    func(t testing.TB) { Refuses(t, "x", nil) },
		"another":     func(t testing.TB) { Refuses(t, "x", errors.New("no"), "no", "yes") },
		"allocations": func(t testing.TB) { NoAllocs(t, "f", func() { sink = append([]byte(nil), 1) }) },
	} {
		var r recorder
		if f(&r); r.failures != 1 {
			t.Errorf("%s: %d failures, want 1", name, r.failures)
		}
	}
	_ = sink
	Near(t, "near", 1e300, 1e300*(1+1e-12), 1e-9)
	Near(t, "equal", math.Inf(1), math.Inf(1), 0)
	Panics(t, "p: ", "word", func() { panic("p: a word") })
}
