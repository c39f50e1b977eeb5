package bnn

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
	"closedform/core/softmax"
	check "closedform/internal/checktest"
)

// networks are networks of all kinds of layers.
func networks() []spec {
	exact := softmax.Exact{Fast: true}
	return []spec{
		{Layers: []int{13, 7, 6, 3}},
		{Layers: []int{13, 7, 6, 3}, Hidden: Smooth},
		{Layers: []int{13, 7, 3}, Covariance: []Covariance{Full}, Hidden: Frozen},
		{Layers: []int{13, 9, 6, 3}, Covariance: []Covariance{Diagonal, Shared, Shared}, Bias: true},
		{Layers: []int{13, 9, 6, 3}, Covariance: []Covariance{Diagonal}, Hidden: Smooth, Bias: true},
		{Layers: []int{13, 9, 6, 3}, Covariance: []Covariance{Shared}, Hidden: Smooth, Bias: true},
		{Layers: []int{13, 4, 3}, Output: ADFExact, Softmax: exact, Covariance: []Covariance{Full}, Bias: true},
		{Layers: []int{13, 5}, Bias: true},
		{
			Layers: []int{13, 2, 4}, Output: Total, OnIndefinite: Project, Covariance: []Covariance{Diagonal},
			Alpha: 0.1, Beta: 1.5, Replications: []float64{3, 0.5}, PriorScale: []float64{2, 3},
		},
	}
}

// trained returns an ensemble that has seen some examples, and inputs, of which some numbers are zero.
func trained(cfg spec, n int) (*Ensemble, [][]float64) {
	e := ensemble(members(cfg, n)...)
	rnd := rand.New(rand.NewPCG(5, 6))
	x := make([][]float64, 11)
	for k := range x {
		for range cfg.Layers[0] {
			x[k] = append(x[k], max(0, rnd.NormFloat64()))
		}
		check.Must(e.Observe(x[k], k%3))
	}
	return e, x
}

// samePrediction reports whether all numbers are the same, none of them NaN.
func samePrediction(a, b *Prediction) bool {
	public := func(p Prediction) Prediction {
		p.owner, p.flows = nil, nil
		return p
	}
	for k := range a.Members {
		if len(b.Members) != len(a.Members) || !samePrediction(&a.Members[k], &b.Members[k]) {
			return false
		}
	}
	x, y := public(*a), public(*b)
	x.Members, y.Members = nil, nil
	return len(a.Members) == len(b.Members) && reflect.DeepEqual(x, y)
}

// A step after Before is that without, to the bit, whatever happens between the two.
func TestObserveAfterBefore(t *testing.T) {
	for _, cfg := range networks() {
		for _, members := range []int{1, 2} {
			e, x := trained(cfg, members)
			want, _ := trained(cfg, members)
			var got, p Prediction
			for k, between := range []func(e *Ensemble) error{
				func(*Ensemble) error { return nil },
				func(e *Ensemble) error { return e.Before(new(Prediction), x[5]) },
				func(e *Ensemble) error { return e.Members()[0].AddProcessNoise(0.1) },
				func(e *Ensemble) error { _, err := e.Observe(x[0], 1); return err },
				func(e *Ensemble) error {
					mean, cov := e.Members()[0].Weights(0)
					mean.Scale(0.5, mean)
					return e.Members()[0].SetWeights(0, mean, cov)
				},
				(*Ensemble).AddClass,
			} {
				check.OK(t, e.Before(&got, x[0]))
				check.OK(t, want.Predict(&p, x[0]))
				if !samePrediction(&got, &p) {
					t.Errorf("%+v: before step %d it is predicted %v, want %v", cfg, k, got, p)
				}
				for _, e := range []*Ensemble{e, want} {
					check.OK(t, between(e))
					check.Must(e.Observe(x[0], 2))
				}
			}
			check.OK(t, e.Predict(&got, x[1]))
			check.OK(t, want.Predict(&p, x[1]))
			check.True(t, samePrediction(&got, &p), "%+v: after the steps %v, want %v", cfg, got, p)
		}
	}
}

// predicted returns a prediction by the moments of logits.
func predicted(by softmax.Approximation, mean, variance []float64) *Prediction {
	p := &Prediction{Moments: softmax.NewMoments(len(mean)), Mean: mean, Variance: variance}
	by.Moments(p.Moments, mean, variance)
	p.P = p.Moments.P
	p.Cov = mat.NewSymDense(len(mean), nil)
	p.Moments.Cov(p.Cov)
	return p
}

// The parts of the label's variance are E Σ_j s_j(1 − s_j) and Σ_j Var s_j, which is 0 for certain logits.
func TestParts(t *testing.T) {
	p := predicted(softmax.Exact{}, []float64{1, -0.5, 0.2, 0}, []float64{0.5, 2, 0.1, 1})
	want, total := mat.Trace(p.Cov), 0.0
	for _, x := range p.P {
		total += x * (1 - x)
	}
	aleatoric, epistemic := p.LabelVariance()
	near(t, "epistemic", epistemic, want, 1e-10)
	near(t, "aleatoric", aleatoric, total-want, 1e-10)
	for _, x := range [][]float64{{0, 0, 0, 0}, {800, 0, 0, 0}} {
		_, epistemic = predicted(softmax.Exact{}, x, make([]float64, 4)).LabelVariance()
		near(t, "epistemic part of certain logits", epistemic, 0, 1e-12)
	}
	wide := predicted(softmax.Exact{}, make([]float64, 4), []float64{1e4, 1e4, 1e4, 1e4})
	if aleatoric, epistemic = wide.LabelVariance(); !(0 <= aleatoric && aleatoric < 0.05*epistemic) {
		t.Errorf("aleatoric part %g of wide logits, epistemic part %g", aleatoric, epistemic)
	}
	if p := new(Prediction); !math.IsNaN(p.Sum()) || !math.IsNaN(p.MutualInformation()) {
		t.Errorf("no prediction adds up to %g, with mutual information %g", p.Sum(), p.MutualInformation())
	}
}

// The parts of the label's variance add up to that of P, also after calibration, and are NaN after errors.
func TestLabelVariance(t *testing.T) {
	b := bank(bankMembers()...)
	var p Prediction
	for range 300 { // all of one class: the bank becomes surer than its members
		check.Must(b.Observe([]float64{1, 1}, 1))
	}
	for _, m := range append(bankMembers(), b) {
		check.OK(t, m.Predict(&p, []float64{1, 1}))
		total, sum := 0.0, p.Sum()
		for _, x := range p.P {
			total += x / sum * (1 - x/sum)
		}
		aleatoric, epistemic := p.LabelVariance()
		near(t, "the variance of the label", aleatoric+epistemic, total, 1e-12)
		check.True(t, aleatoric > 0 && epistemic >= 0, "%T: aleatoric %g, epistemic %g", m, aleatoric, epistemic)
		for _, p := range []*Prediction{&p, {}} {
			check.Refuses(t, "one input", m.Predict(p, []float64{1}))
			aleatoric, epistemic = p.LabelVariance()
			for _, x := range []float64{aleatoric, epistemic, p.MutualInformation(), p.Sum()} {
				check.True(t, math.IsNaN(x), "%T: %g after an error", m, x)
			}
		}
	}
}

// The answers below the threshold are those that the promise does not hold for.
func TestThreshold(t *testing.T) {
	record := func(right, unsure int) *TrackRecord {
		r := new(TrackRecord)
		for range right {
			r.Add(0.999, false)
		}
		for i := range unsure {
			r.Add(0.6, i%2 == 0)
		}
		return r
	}
	for _, c := range []struct {
		right, unsure int
		low, high     float64
	}{
		{298, 0, math.Inf(1), math.Inf(1)}, // 0.99^298 is above 0.05
		{299, 0, 0.9, 0.9991},
		{299, 100, 0.9, 0.9991},
		{0, 1000, math.Inf(1), math.Inf(1)},
		{100_000, 100, 0.5, 0.6},
		{0, 0, math.Inf(1), math.Inf(1)},
	} {
		got, err := record(c.right, c.unsure).Threshold(0.01, 0.95)
		check.True(t, err == nil && c.low <= got && got <= c.high, "%d, %d: %g, %v", c.right, c.unsure, got, err)
	}
	early := new(TrackRecord) // an error among the surest 300, which none may have, does not end it
	for i := range 1000 {
		early.Add([]float64{0.9999, 0.999}[min(1, i/300)], i == 0)
	}
	if got := check.Must(early.Threshold(0.01, 0.95)); !(0.99 < got && got <= 0.999) {
		t.Errorf("an early error: %g", got)
	}
	late := new(TrackRecord) // of 533 one may be wrong, of 633 two: two among 533 do not end it
	for i := range 633 {
		late.Add([]float64{0.99995, 0.99845, 0.9983}[min(i/473, 1)+i/533], i == 0 || i == 500)
	}
	if got := check.Must(late.Threshold(0.01, 0.95)); !(got < 0.9983) {
		t.Errorf("two errors among 633: %g", got)
	}
	timid := new(TrackRecord) // no errors where hundreds were expected
	for i := range 3000 {
		timid.Add([]float64{0.5, 0.6, 0.7}[i%3], false)
	}
	if got := check.Must(timid.Threshold(0.01, 0.95)); !(got <= 0.5) {
		t.Errorf("no errors: %g", got)
	}
	r := record(1, 1)
	r.Add(1, false)
	for _, bad := range [][2]float64{{math.NaN(), 0.95}, {0, 0.95}, {1, 0.95}, {0.01, math.NaN()}, {0.01, 1}} {
		threshold, err := r.Threshold(bad[0], bad[1])
		check.True(t, err != nil && math.IsNaN(threshold), "%v: threshold %g, error %v", bad, threshold, err)
	}
	r.Add(math.NaN(), true)
	check.Equal(t, "wrong predictions with NaN", r.Wrong[0], 0)
	check.OK(t, r.Validate())
	r.Wrong[0] = 2
	check.Refuses(t, "more wrong predictions than there are", r.Validate())
}

// The promise is broken in at most 5 % of all records, also where the share of wrong answers is just above it
// for all probabilities, and where the surest answers are wrong too often. It leaves many answers.
func TestPromiseIsKept(t *testing.T) {
	const share, replications = 0.05, 1000
	for name, world := range map[string]struct {
		risk     func(p float64) float64
		answered float64 // of 2,000 examples, at least
	}{
		"calibrated":    {func(p float64) float64 { return 1 - p }, 0.45},
		"overconfident": {func(p float64) float64 { return math.Sqrt(1 - p) }, 0},
		"constant":      {func(float64) float64 { return 1.001 * share }, 0},
		"reversed":      {func(p float64) float64 { return 0.06 * p }, 0},
		"early errors":  {func(p float64) float64 { return max(0.02, (1-p)/2) }, 0.5},
	} {
		rnd := rand.New(random.Source("promise", name))
		for _, examples := range []int{400, 2000} {
			broken, answered := 0, 0.0
			for range replications {
				var r TrackRecord
				for range examples {
					u := rnd.Float64()
					p := 1 - u*u/2
					r.Add(p, rnd.Float64() < world.risk(p))
				}
				threshold := check.Must(r.Threshold(share, 0.95))
				var wrong, answers float64
				for u := 0.0005; u < 1; u += 0.001 {
					if p := 1 - u*u/2; p >= threshold {
						wrong += world.risk(p)
						answers++
					}
				}
				answered += 0.001 / replications * answers
				if wrong > share*answers {
					broken++
				}
			}
			if most := replications*0.05 + 3*math.Sqrt(replications*0.05*0.95); float64(broken) > most {
				t.Errorf("%s: %d of %d promises are broken", name, broken, replications)
			}
			enough := examples == 400 || answered >= world.answered
			check.True(t, enough, "%s: of %d examples %.3f are answered", name, examples, answered)
		}
	}
}
