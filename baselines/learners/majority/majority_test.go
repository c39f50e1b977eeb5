package majority

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/check"
)

func TestCounts(t *testing.T) {
	m := check.Must(New(Config{Classes: 3}, nil))
	for i, want := range [][]float64{{1. / 3, 1. / 3, 1. / 3}, {1. / 4, 1. / 4, 2. / 4}, {1. / 5, 1. / 5, 3. / 5}, {2. / 6, 1. / 6, 3. / 6}} {
		if i > 0 {
			check.OK(t, m.Observe([]float64{1, 2}, []int{2, 2, 0}[i-1]))
		}
		if p := check.Predict(t, m, 3, 5); !floats.EqualApprox(p, want, 1e-15) {
			t.Errorf("after %d examples %v, want %v", i, p, want)
		}
	}
}

func TestErrors(t *testing.T) {
	if _, err := New(Config{Classes: 1}, nil); err == nil {
		t.Error("one class was accepted")
	}
	m := check.Must(New(Config{Classes: 2}, nil))
	p, infinite := make([]float64, 2), []float64{0, math.Inf(-1)}
	for i, err := range []error{m.Observe(nil, 2), m.Observe(nil, -1), m.Observe(infinite, 0), m.Predict(p, infinite)} {
		if err == nil {
			t.Error("no error ", i)
		}
	}
	check.AllPanic(t, map[string]func(){"p": func() { _ = m.Predict(make([]float64, 3), nil) }})
}
