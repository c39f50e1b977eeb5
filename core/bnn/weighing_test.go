package bnn

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/core/random"
	"closedform/internal/check"
)

func mixtureWeights(t *testing.T, w Weighing, members int) *MixtureWeights {
	t.Helper()
	m, err := NewMixtureWeights(w, members)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The weights are the products of the formulas.
func TestMixtureWeights(t *testing.T) {
	rnd := rand.New(random.Source("weights"))
	for _, w := range []Weighing{{Weights: Evidence}, {Evidence, 0.8}, {Weights: Stacked}, {Stacked, 0.9}, {Weights: Equal}} {
		m, want, logP := mixtureWeights(t, w, 3), []float64{1. / 3, 1. / 3, 1. / 3}, make([]float64, 3)
		forget := w.Forgetting
		if forget == 0 {
			forget = 1
		}
		for k := 1; k <= 20; k++ {
			p := []float64{rnd.Float64(), rnd.Float64(), rnd.Float64()}
			rate, mean := math.Sqrt(math.Log(3)/(6*float64(k))), floats.Dot(want, p)
			for i := range p {
				logP[i] = math.Log(p[i])
				switch w.Weights {
				case Evidence:
					want[i] = math.Pow(want[i], forget) * p[i]
				case Stacked:
					want[i] = math.Pow(want[i], forget) * (1 - rate + rate*p[i]/mean)
				}
			}
			floats.Scale(1/floats.Sum(want), want)
			m.Update(logP)
		}
		check.NearAll(t, string(w.Weights), m.Values(), want, 1e-12)
	}
}

// Of two members that are right half of the time each, evidence comes to be with one; stacked
// goes to half of both, which is better.
func TestStacked(t *testing.T) {
	const n = 4000
	for weights, most := range map[WeightRule]float64{Evidence: 1, Stacked: 0.6} {
		rnd := rand.New(rand.NewPCG(1, 2))
		m, loss := mixtureWeights(t, Weighing{Weights: weights}, 2), 0.
		for range n {
			p := []float64{0.9, 0.1}
			if rnd.IntN(2) == 1 {
				slices.Reverse(p)
			}
			loss -= math.Log(floats.Dot(m.Values(), p)) / n
			m.Update([]float64{math.Log(p[0]), math.Log(p[1])})
		}
		if top := slices.Max(m.Values()); top > most || weights == Evidence && top < 0.99 {
			t.Errorf("%s: largest weight %g", weights, top)
		}
		if weights == Stacked {
			check.Near(t, "log loss", loss, math.Ln2, 0.01)
		}
	}
}

// No weight is lost to underflow: a member that predicted the impossible comes back when the
// others do so.
func TestWeightsUnderflow(t *testing.T) {
	for _, weights := range []WeightRule{Evidence, Stacked} {
		m := mixtureWeights(t, Weighing{Weights: weights}, 2)
		for range 5000 {
			m.Update([]float64{math.Inf(-1), -690})
		}
		if w := m.Values(); !(w[0] < 1e-9) || !(w[1] > 1-1e-9) {
			t.Errorf("%s: weights %v", weights, w)
		}
		for range 6000 {
			m.Update([]float64{-690, math.NaN()})
		}
		if w := m.Values(); weights == Evidence && !(w[0] > 1-1e-9) {
			t.Errorf("%s: weights %v after it went the other way", weights, w)
		}
	}
}

func TestWeighingRefuses(t *testing.T) {
	for want, w := range map[string]Weighing{
		`Weighing.Weights: "odds" is not allowed; allowed: evidence, stacked, equal`: {Weights: "odds"},
		`Weighing.Weights: ""`:          {},
		"Weighing.Forgetting: 1.5":      {Evidence, 1.5},
		"Weighing.Forgetting: NaN":      {Stacked, math.NaN()},
		"Weighing.Forgetting: 0.5 is n": {Equal, 0.5},
	} {
		if _, err := NewMixtureWeights(w, 2); err == nil || !strings.HasPrefix(err.Error(), "bnn: "+want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
