package bnn

import (
	"cmp"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/core/random"
	"closedform/internal/check"
)

func mixtureWeights(w Weighing, members int) *MixtureWeights {
	return check.Must((MixtureWeights{Weighing: w, Members: members}).restored())
}

// The weights are the means of those of the mixtures, which are products of probabilities.
func TestMixtureWeights(t *testing.T) {
	rnd := rand.New(random.Source("weights"))
	for _, w := range []Weighing{{Weights: Evidence}, {Weights: Evidence, Forgetting: 0.8}, {Weights: Universal}, {Weights: Universal, Forgetting: 0.9}, {Weights: Equal}} {
		var shares [][]float64
		for a := range 5 {
			for b := range 5 - a {
				shares = append(shares, []float64{float64(a) / 4, float64(b) / 4, float64(4-a-b) / 4})
			}
		}
		if w.Weights == Evidence {
			shares = [][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
		}
		m, u, logP := mixtureWeights(w, 3), make([]float64, len(shares)), make([]float64, 3)
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

// With forgetting the weights follow an abrupt change of which member predicts best; without it they fall behind.
func TestForgettingFollows(t *testing.T) {
	for _, rule := range []WeightRule{Evidence, Universal} {
		var losses []float64
		for _, forgetting := range []float64{0, 0.9} {
			m, loss := mixtureWeights(Weighing{Weights: rule, Forgetting: forgetting}, 2), 0.0
			for k := range 200 {
				p := []float64{0.9, 0.3}
				if k >= 100 {
					p = []float64{0.3, 0.9}
				}
				loss -= math.Log(floats.Dot(m.Values(), p)) / 200
				m.Update([]float64{math.Log(p[0]), math.Log(p[1])})
			}
			losses = append(losses, loss)
		}
		if !(losses[1] < losses[0]/2) {
			t.Errorf("%s: log loss %.3f without forgetting, %.3f with it", rule, losses[0], losses[1])
		}
	}
}

// No weight is lost to underflow: a member that predicted the impossible comes back when the
// others do so.
func TestWeightsUnderflow(t *testing.T) {
	for _, weights := range []WeightRule{Evidence, Universal} {
		m := mixtureWeights(Weighing{Weights: weights}, 2)
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
		`weights: "odds" is not allowed; allowed: universal, evidence, equal`: {Weights: "odds"},
		`weights: ""`:          {},
		"forgetting: 1.5":      {Weights: Evidence, Forgetting: 1.5},
		"forgetting: NaN":      {Weights: Universal, Forgetting: math.NaN()},
		"forgetting: 0.5 is n": {Weights: Equal, Forgetting: 0.5},
		"temperature: true is": {Weights: Equal, Temperature: true},
	} {
		check.Refuses(t, want, check.Err((MixtureWeights{Weighing: w, Members: 2}).restored()), "bnn: "+want)
	}
}

// The weights of the powers are their evidence. Predictions that are no probabilities are none.
func TestTemperatureIsEvidence(t *testing.T) {
	m := mixtureWeights(Weighing{Weights: Evidence, Temperature: true}, 1)
	m.Judge([]float64{0.5, 0.3, 0.2}, 1)
	m.Judge([]float64{0.1, 0.7, 0.2}, 1)
	m.Judge([]float64{0.1, math.NaN(), 0.2}, 0)
	m.Judge([]float64{0, 0, 0}, 0)
	m.Update([]float64{0})
	power := func(tau float64, p ...float64) []float64 {
		for j := range p {
			p[j] = math.Pow(p[j], tau)
		}
		floats.Scale(1/floats.Sum(p), p)
		return p
	}
	want, total := make([]float64, 2), 0.
	for _, tau := range []float64{0.7, 0.85, 1, 1.2, 1.5, 2} {
		u := power(tau, 0.5, 0.3, 0.2)[1] * power(tau, 0.1, 0.7, 0.2)[1]
		total += u
		floats.AddScaled(want, u, power(tau, 0.4, 0.6))
	}
	floats.Scale(0.9/total, want) // an approximation's sum
	got := []float64{0.36, 0, 0.54}
	m.Temper(got)
	check.NearAll(t, "probabilities", got, []float64{want[0], 0, want[1]}, 1e-12)
}
