package readout

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/internal/check"
)

// The p-values of inputs like those that were learned are uniform, and small of others.
func TestPValues(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		rnd := rand.New(random.Source("tail"))
		draw := func() labelled {
			e := labelled{x: make([]float64, 6), class: rnd.IntN(2)}
			for j := range e.x {
				e.x[j] = random.Normal(rnd) + 3*float64(e.class)
			}
			return e
		}
		l, err := New(Config{kind, 6, 2})
		check.OK(t, err)
		both := func(x []float64) [2]float64 {
			tail, _, err := l.Tail(x)
			check.OK(t, err)
			return [2]float64{tail, familiarity(t, l, x)}
		}
		if p := both(draw().x); !math.IsNaN(p[0]) || !math.IsNaN(p[1]) {
			t.Errorf("%g before the first example", p)
		}
		for range 400 {
			observe(t, l, []labelled{draw()})
		}
		const n = 4000
		for _, level := range []float64{0.05, 0.3} {
			var below [2]float64
			for range n {
				for k, p := range both(draw().x) {
					if p <= level {
						below[k] += 1. / n
					}
				}
			}
			check.NearAll(t, "share below", below[:], []float64{level, level}, 0.035)
		}
		if p := both(slices.Repeat([]float64{-9}, 6)); !(max(p[0], p[1]) < 1e-4) {
			t.Errorf("far away %g", p)
		}
		_, _, err = l.Tail([]float64{1})
		check.Refuses(t, "Tail", err, "length 1")
		_, _, err = l.Familiarity([][]float64{{1}}, []int{0})
		check.Refuses(t, "Familiarity", err, "length 1")
		check.OK(t, l.AddClass())
		for range fewest - 1 {
			observe(t, l, []labelled{{x: slices.Repeat([]float64{9}, 6), class: 2}})
		}
		if p := familiarity(t, l, slices.Repeat([]float64{9}, 6)); !math.IsNaN(p) {
			t.Errorf("%g of a class with few examples", p)
		}
	})
}

// familiarity returns the p-value of x.
func familiarity(t *testing.T, l *Layer, x []float64) float64 {
	t.Helper()
	var prediction bnn.Prediction
	check.OK(t, l.Predict(&prediction, x))
	p, density, err := l.Familiarity([][]float64{x}, []int{prediction.Class()})
	check.OK(t, err)
	if math.IsNaN(density[0]) != (l.examples() == 0) {
		t.Errorf("density %g after %d examples", density[0], l.examples())
	}
	return p[0]
}
