package bnn

import (
	"cmp"
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

// The weights are the means of those of the mixtures, which are products of probabilities.
func TestMixtureWeights(t *testing.T) {
	rnd := rand.New(random.Source("weights"))
	for _, w := range []Weighing{{Weights: Evidence}, {Evidence, 0.8}, {Weights: Universal}, {Universal, 0.9}, {Weights: Equal}} {
		var shares [][]float64
		for a := range 5 {
			for b := range 5 - a {
				shares = append(shares, []float64{float64(a) / 4, float64(b) / 4, float64(4-a-b) / 4})
			}
		}
		if w.Weights == Evidence {
			shares = [][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
		}
		m, u, logP := mixtureWeights(t, w, 3), make([]float64, len(shares)), make([]float64, 3)
		for range 20 {
			p := []float64{rnd.Float64(), rnd.Float64(), rnd.Float64()}
			for i := range p {
				logP[i] = math.Log(p[i])
			}
			for i, share := range shares {
				u[i] = cmp.Or(w.Forgetting, 1)*u[i] + math.Log(floats.Dot(share, p))
			}
			m.Update(logP)
		}
		want := make([]float64, 3)
		for i, share := range shares {
			floats.AddScaled(want, math.Exp(u[i]), share)
		}
		floats.Scale(1/floats.Sum(want), want)
		if w.Weights == Equal {
			want = []float64{1. / 3, 1. / 3, 1. / 3}
		}
		check.NearAll(t, string(w.Weights), m.Values(), want, 1e-12)
	}
}

// Of two members that are right half of the time each, evidence comes to be with one; universal
// goes to half of both, which is better.
func TestUniversal(t *testing.T) {
	const n = 4000
	for weights, most := range map[WeightRule]float64{Evidence: 1, Universal: 0.6} {
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
		if weights == Universal {
			check.Near(t, "log loss", loss, math.Ln2, 0.01)
		}
	}
}

// No weight is lost to underflow: a member that predicted the impossible comes back when the
// others do so.
func TestWeightsUnderflow(t *testing.T) {
	for _, weights := range []WeightRule{Evidence, Universal} {
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
		`Weighing.Weights: "odds" is not allowed; allowed: universal, evidence, equal`: {Weights: "odds"},
		`Weighing.Weights: ""`:          {},
		"Weighing.Forgetting: 1.5":      {Evidence, 1.5},
		"Weighing.Forgetting: NaN":      {Universal, math.NaN()},
		"Weighing.Forgetting: 0.5 is n": {Equal, 0.5},
	} {
		if _, err := NewMixtureWeights(w, 2); err == nil || !strings.HasPrefix(err.Error(), "bnn: "+want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
