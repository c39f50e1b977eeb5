package readout

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"closedform/core/bnn"
	"closedform/core/familiar"
	"closedform/core/random"
	check "closedform/internal/checktest"
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
		l, err := New(Config{Kind: kind, Inputs: 6, Classes: 2})
		check.OK(t, err)
		if p := familiarity(t, l, draw().x); !math.IsNaN(p) {
			t.Errorf("%g before the first example", p)
		}
		for range 400 {
			observe(t, l, []labelled{draw()})
		}
		const n = 4000
		for _, level := range []float64{0.05, 0.3} {
			below := 0.0
			for range n {
				if familiarity(t, l, draw().x) <= level {
					below += 1. / n
				}
			}
			check.Near(t, "share below", below, level, 0.035)
		}
		if p := familiarity(t, l, slices.Repeat([]float64{-9}, 6)); !(p < 1e-4) {
			t.Errorf("far away %g", p)
		}
		_, _, err = l.Familiarity([][]float64{{1}}, []int{0})
		check.Refuses(t, "Familiarity", err, "length 1")
		check.OK(t, l.AddClass())
		for n := 1; n <= 10; n++ {
			x := slices.Repeat([]float64{9}, 6)
			observe(t, l, []labelled{{x: x, class: 2}})
			if p, _, err := l.Familiarity([][]float64{x}, []int{2}); err != nil || math.IsNaN(p[0]) != (n < 10) {
				t.Errorf("%g of a class with %d examples, error %v", p, n, err)
			}
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

// A kept example is compared with the others of its class, not with itself: far from them it is as rare as an
// input that was not learned.
func TestReferenceLeavesOut(t *testing.T) {
	kept, scores, others := make([]labelled, 12), make([][4]float64, 12), []float64{}
	for i := range kept {
		kept[i].count = 1
		distance := float64(i)
		if i == 11 {
			distance = 40
		} else {
			others = append(others, distance)
		}
		scores[i] = [4]float64{-distance, -distance, -distance, -distance}
	}
	sums := newReference(2, kept, scores).sums
	check.Near(t, "the farthest", sums[11], -4*math.Log(familiar.Tail(others, nil, 40)), 1e-12)
}
