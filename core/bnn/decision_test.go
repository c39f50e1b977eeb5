package bnn

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/softmax"
)

// predicted returns a prediction by the moments of logits.
func predicted(by softmax.Approximation, mean, variance []float64) *Prediction {
	p := &Prediction{Moments: softmax.NewMoments(len(mean)), Mean: mean, Variance: variance}
	by.Moments(p.Moments, mean, variance)
	p.P = p.Moments.P
	p.Cov = mat.NewSymDense(len(mean), nil)
	p.Moments.Cov(p.Cov)
	return p
}

// The parts of the label's variance are E Σ_j s_j(1 − s_j) and Σ_j Var s_j.
func TestLabelVariance(t *testing.T) {
	p := predicted(softmax.Exact{}, []float64{1, -0.5, 0.2, 0}, []float64{0.5, 2, 0.1, 1})
	want, total := mat.Trace(p.Cov), 0.0
	for _, x := range p.P {
		total += x * (1 - x)
	}
	aleatoric, epistemic := p.LabelVariance()
	near(t, "epistemic", epistemic, want, 1e-10)
	near(t, "aleatoric", aleatoric, total-want, 1e-10)
	near(t, "epistemic confidence", p.Confidence(Epistemic), aleatoric/total, 1e-10)
}

// No part is negative where the probit's variances are, in a mixture neither.
func TestLabelVarianceOfProbit(t *testing.T) {
	p := predicted(&softmax.Probit{Lambda: 0.42, Rho: 0.5}, []float64{9, 0, -3}, []float64{0.01, 0.02, 0})
	if trace := mat.Trace(p.Cov); trace >= 0 {
		t.Fatalf("the probit's variance is %g", trace)
	}
	aleatoric, epistemic := p.LabelVariance()
	if !(aleatoric > 0) || !(0 <= epistemic && epistemic < 1e-4) || !(p.Confidence(Epistemic) <= 1) {
		t.Errorf("aleatoric %g, epistemic %g", aleatoric, epistemic)
	}
	mixture := Prediction{P: p.P, Members: []Prediction{*p, *p}, Weights: []float64{0.25, 0.75}}
	if a, e := mixture.LabelVariance(); math.Abs(a-aleatoric) > 1e-12 || math.Abs(e-epistemic) > 1e-12 {
		t.Errorf("mixture of two of the same: %g, %g; one: %g, %g", a, e, aleatoric, epistemic)
	}
}

// Certain logits leave nothing epistemic; even ones have the least confidence.
func TestConfidence(t *testing.T) {
	even := predicted(softmax.Exact{}, make([]float64, 4), make([]float64, 4))
	sure := predicted(softmax.Exact{}, []float64{800, 0, 0, 0}, make([]float64, 4))
	for _, c := range []struct {
		p    *Prediction
		by   Confidence
		want float64
	}{
		{even, Probability, 0.25},
		{even, EntropyBased, 0},
		{even, Epistemic, 1},
		{sure, Probability, 1},
		{sure, EntropyBased, 1},
		{sure, Epistemic, 1},
	} {
		if got := c.p.Confidence(c.by); !(math.Abs(got-c.want) <= 1e-12) {
			t.Errorf("%v of %v is %g, want %g", c.by, c.p.P, got, c.want)
		}
	}
	wide := predicted(softmax.Exact{}, make([]float64, 4), []float64{1e4, 1e4, 1e4, 1e4})
	if got := wide.Confidence(Epistemic); !(0 <= got && got < 0.05) {
		t.Errorf("epistemic confidence of wide logits is %g", got)
	}
}

func TestDecide(t *testing.T) {
	p := predicted(softmax.Exact{}, []float64{0, 2, 0}, make([]float64, 3)) // p_2 = 0.787
	for _, c := range []struct {
		by        Confidence
		threshold float64
		want      int
	}{
		{Probability, 0.78, 1},
		{Probability, 0.79, Unknown},
		{Probability, 0, 1},
		{EntropyBased, 0.3, 1},
		{EntropyBased, 0.5, Unknown},
		{Epistemic, 1, 1},
	} {
		if got := p.Decide(c.by, c.threshold); got != c.want {
			t.Errorf("%v ≥ %g of %v: class %d, want %d", c.by, c.threshold, p.P, got, c.want)
		}
	}
	p.P[0] = math.NaN()
	if got := p.Decide(EntropyBased, 0); got != 1 && got != Unknown {
		t.Errorf("class %d of what is not a number", got)
	}
	if got := p.Decide(Probability, math.NaN()); got != Unknown {
		t.Errorf("class %d above what is not a number", got)
	}
}

// Nothing is known from no prediction, nor from one with an error, whatever was predicted before.
func TestNoPredictionDecidesUnknown(t *testing.T) {
	n := newNetwork(spec{Layers: []int{2, 4, 3}})
	var zero, p Prediction
	predict(t, n, &p, []float64{1, 2})
	before := p.Clone()
	if n.Predict(&p, []float64{math.Inf(1), 2}) == nil {
		t.Fatal("no error")
	}
	for name, p := range map[string]*Prediction{"zero": &zero, "error": &p} {
		for _, by := range []Confidence{Probability, EntropyBased, Epistemic, MutualInformation} {
			if c := p.Decide(by, math.Inf(-1)); c != Unknown || p.Class() != Unknown {
				t.Errorf("%s: decides %d by %v", name, c, by)
			}
		}
	}
	if predict(t, n, &p, []float64{1, 2}); !samePrediction(&p, &before) {
		t.Errorf("predicted %v, before the error %v", p, before)
	}
}
