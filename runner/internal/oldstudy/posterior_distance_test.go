package study

import (
	"math"
	"slices"
	"testing"

	"closedform/runner/internal/dataset"
	"closedform/runner/internal/metric"
)

// Averages over a plane are integrals: exact for what is linear in each input.
func TestPlane(t *testing.T) {
	p := newPlane(dataset.Task{Name: "logistic"}, 7)
	var one, moment, square float64
	for i, x := range p.x {
		one += p.weight[i]
		moment += p.weight[i] * (3 + x[0] - 2*x[1] + x[0]*x[1])
		square += p.weight[i] * x[0] * x[0]
	}
	near(t, "1", one, 1, 1e-14)
	near(t, "3 + x₁ − 2x₂ + x₁x₂", moment, 3, 1e-13)
	h := 10. / 6
	near(t, "x₁²", square, 25./3+h*h/6, 1e-13) // with the error of the trapezoidal rule
	wedge := newPlane(dataset.Task{Name: "wedges"}, 5)
	if wedge.truth[0] != nil || wedge.truth[12] != nil || !slices.Equal(wedge.truth[2], []float64{0, 1, 0}) {
		t.Errorf("truths of the wedges %v", wedge.truth)
	}
}

// The truth has the error rate of Bayes, and is calibrated.
func TestScoresOfTheTruth(t *testing.T) {
	task := dataset.Task{Name: "logistic"}
	p := newPlane(task, 201)
	error, loss, calibration := p.scores(p.truth)
	near(t, "error", error, task.BayesError(), 1e-4)
	near(t, "calibration", calibration, 0, 1e-14)
	var entropy float64
	for i, truth := range p.truth {
		entropy += p.weight[i] * metric.Entropy(truth)
	}
	near(t, "log loss", loss, entropy, 1e-12)
}

func TestScoresByHand(t *testing.T) {
	p := &plane{
		weight: []float64{0.4, 0.1, 0.2, 0.3},
		truth:  [][]float64{{1, 0}, {0.3, 0.7}, nil, {0.5, 0.5}},
	}
	// Confidences 0.9, 0.92 share a bin; equal probabilities are decided by lot.
	error, loss, calibration := p.scores([][]float64{{0.9, 0.1}, {0.92, 0.08}, {1, 0}, {0.5, 0.5}})
	near(t, "error", error, (0.1*0.7+0.3*0.5)/0.8, 1e-14)
	near(t, "log loss", loss, (-0.4*math.Log(0.9)-0.1*(0.3*math.Log(0.92)+0.7*math.Log(0.08))+0.3*math.Ln2)/0.8, 1e-14)
	near(t, "calibration", calibration, math.Abs(0.4*0.1+0.1*(0.3-0.92))/0.8, 1e-14)
	if _, loss, _ = p.scores([][]float64{{0, 1}, {0.5, 0.5}, {1, 0}, {0.5, 0.5}}); !math.IsInf(loss, 1) {
		t.Errorf("the loss of an impossible truth is %g", loss)
	}
}

func TestDistance(t *testing.T) {
	p := &plane{weight: []float64{0.25, 0.75}}
	r := &reference{p: [][]float64{{0.5, 0.5, 0}, {0.2, 0.3, 0.5}}}
	tv, kl := r.distance([][]float64{{0.4, 0.4, 0.2}, {0.2, 0.3, 0.5}}, p)
	near(t, "tv", tv, 0.25*0.2, 1e-15)
	near(t, "kl", kl, 0.25*math.Log(1.25), 1e-15)
	if _, kl = r.distance([][]float64{{1, 0, 0}, {0.2, 0.3, 0.5}}, p); !math.IsInf(kl, 1) {
		t.Errorf("the divergence from what excludes a class is %g", kl)
	}
}
