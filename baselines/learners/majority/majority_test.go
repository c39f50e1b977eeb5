package majority

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"

	check "closedform/internal/checktest"
)

func TestErrors(t *testing.T) {
	check.Refuses(t, "one class", check.Err(New(Config{}, 1, 1, nil)))
	m := check.Must(New(Config{}, 1, 2, nil))
	p, infinite := make([]float64, 2), []float64{0, math.Inf(-1)}
	for _, err := range []error{
		m.Observe(nil, 2), m.Observe(nil, -1), m.Observe(infinite, 0), m.Predict(p, infinite),
	} {
		check.Refuses(t, "a wrong class or input", err)
	}
	check.Panics(t, "", "", func() { _ = m.Predict(make([]float64, 3), nil) })
}

// The last class has the frequency of no change by Laplace's rule, 4/6 and 4/7, but is always the largest.
func TestLast(t *testing.T) {
	check.Refuses(t, "one class", check.Err(NewLast(Config{}, 1, 1, nil)))
	m, third := check.Must(NewLast(Config{}, 1, 3, nil)), 1./3
	equal := []float64{third, third, third}
	check.NearAll(t, "before the first example", check.Predict(t, m, 3, 7), equal, 1e-15)
	for _, step := range []struct {
		classes []int
		want    []float64
	}{
		{[]int{2, 2, 2, 1, 1}, []float64{1. / 6, 4. / 6, 1. / 6}},
		{[]int{0}, []float64{4. / 7, 1.5 / 7, 1.5 / 7}},
		{[]int{1, 2, 1, 2, 0, 2}, equal},
	} {
		for _, class := range step.classes {
			check.OK(t, m.Observe([]float64{3}, class))
		}
		p := check.Predict(t, m, 3, 7)
		check.NearAll(t, "the last class", p, step.want, 1e-6)
		check.Equal(t, "the most probable class", floats.MaxIdx(p), step.classes[len(step.classes)-1])
	}
	check.Refuses(t, "a wrong class", m.Observe(nil, 3))
	check.Equal(t, "after an error", floats.MaxIdx(check.Predict(t, m, 3, 7)), 2)
}
