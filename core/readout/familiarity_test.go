package readout

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

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
		if p := check.Must(l.Familiarity(draw().x)); !math.IsNaN(p) {
			t.Errorf("%g before the first example", p)
		}
		for range 400 {
			observe(t, l, []labelled{draw()})
		}
		const n = 4000
		for _, level := range []float64{0.05, 0.3} {
			below := 0.0
			for range n {
				if check.Must(l.Familiarity(draw().x)) <= level {
					below += 1. / n
				}
			}
			check.Near(t, "share below", below, level, 0.035)
		}
		if p := check.Must(l.Familiarity(slices.Repeat([]float64{-9}, 6))); !(p < 1e-4) {
			t.Errorf("far away %g", p)
		}
		_, err = l.Familiarity([]float64{1})
		check.Refuses(t, "Familiarity", err, "length 1")
		check.OK(t, l.AddClass())
		for range fewest - 1 {
			observe(t, l, []labelled{{x: slices.Repeat([]float64{9}, 6), class: 2}})
		}
		if p, err := l.Familiarity(slices.Repeat([]float64{9}, 6)); !math.IsNaN(p) || err != nil {
			t.Errorf("%g of a class with few examples, error %v", p, err)
		}
	})
}
