package laplace

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
)

// Predictions from the definition, through the density of one example.
func TestSampleConsistency(t *testing.T) {
	x, class := wedges(10, random.Source("consistency"))
	m := Prior{Layers: []int{2, 3}, Bias: true}
	s := sample(t, Importance{Draws: 500}, problem(t, m, x, class), "consistency")
	if sum := floats.Sum(s.Weights); !scalar.EqualWithinAbs(sum, 1, 1e-12) || !(floats.Min(s.Weights) >= 0) {
		t.Errorf("weights from %g, sum %g", floats.Min(s.Weights), sum)
	}
	at := []float64{0.3, -1}
	got, stderr := predictSample(t, s, at)
	empty := problem(t, m, nil, nil)
	want, probs := make([]float64, 3), mat.NewDense(len(s.Weights), 3, nil)
	for i, w := range s.Weights {
		prob := probs.RawRowView(i)
		for c := range prob {
			one := problem(t, m, [][]float64{at}, []int{c})
			prob[c] = math.Exp(one.LogDensity(nil, s.Draws.RawRowView(i)) - empty.LogDensity(nil, s.Draws.RawRowView(i)))
		}
		floats.AddScaled(want, w, prob)
	}
	if !floats.EqualApprox(got, want, 1e-10) {
		t.Errorf("P %v, want %v", got, want)
	}
	pairs := float64(len(s.Weights) / 2)
	for j, se := range stderr {
		var sum float64
		for i := 0; i < len(s.Weights); i += 2 {
			d := s.Weights[i]*(probs.At(i, j)-want[j]) + s.Weights[i+1]*(probs.At(i+1, j)-want[j])
			sum += d * d
		}
		if w := math.Sqrt(sum * pairs / (pairs - 1)); !scalar.EqualWithinRel(se, w, 1e-8) {
			t.Errorf("standard error %d is %g, want %g", j, se, w)
		}
	}
}

func TestPredictErrors(t *testing.T) {
	m := Prior{Layers: []int{1, 2}, Var: []float64{1e20, 1e20}}
	s := sample(t, Importance{Draws: 100}, problem(t, m, nil, nil), "a")
	for _, x := range []float64{math.NaN(), math.Inf(-1), 1e300} {
		_, _, err := s.Predict([]float64{x})
		if err == nil || !strings.HasPrefix(err.Error(), "laplace: ") {
			t.Errorf("input %g: error %v", x, err)
		}
	}
}
