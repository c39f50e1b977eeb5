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
	var r recorder
	nan := math.NaN()
	Near(&r, "x", 1, 1.1, 1e-3)
	Near(&r, "x", nan, 1, 1e9)
	Near(&r, "x", nan, nan, 1e9)
	NearAll(&r, "x", []float64{1}, []float64{1, 2}, 1)
	Panics(&r, "p: ", "", func() {})
	Panics(&r, "p: ", "word", func() { panic("q: word") })
	Refuses(&r, "x", nil)
	Refuses(&r, "x", errors.New("no"), "no", "yes")
	Equal(t, "failures", r.failures, 8)
}
