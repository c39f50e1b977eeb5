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
func TestTail(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		rnd := rand.New(random.Source("tail"))
		draw := func() labelled {
			e := labelled{x: make([]float64, 6), class: rnd.IntN(2)}
			for j := range e.x {
				e.x[j] = random.Normal(rnd) + 3*float64(e.class)
			}
			return e
		}
		l := check.Must(New(Config{kind, 6, 2}))
		tail := func(x []float64) float64 {
			p, _, err := l.Tail(x)
			check.OK(t, err)
			return p
		}
		if p := tail(draw().x); !math.IsNaN(p) {
			t.Errorf("%g before the first example", p)
		}
		for range 400 {
			observe(t, l, []labelled{draw()})
		}
		const n = 4000
		for _, level := range []float64{0.05, 0.3} {
			below := 0.
			for range n {
				if tail(draw().x) <= level {
					below += 1. / n
				}
			}
			if math.Abs(below-level) > 0.035 {
				t.Errorf("%g of the p-values are at most %g", below, level)
			}
		}
		if p := tail(slices.Repeat([]float64{-9}, 6)); p > 1e-4 {
			t.Errorf("far away %g", p)
		}
		if _, _, err := l.Tail([]float64{1}); err == nil {
			t.Error("an input of the wrong length passed")
		}
	})
}
