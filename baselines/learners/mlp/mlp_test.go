package mlp

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"

	"closedform/core/random"
)

// A mask of ones changes nothing, that of a zero is a weight of zero, and the
// gradient is that of the masked network.
func TestMask(t *testing.T) {
	n := New([]int{2, 3, 4, 2}, true)
	rnd := rand.New(random.Source("mask"))
	w, x := make([]float64, n.Weights()), []float64{0.5, -1.5, 1}
	for i := range w {
		w[i] = rnd.NormFloat64()
	}
	open, masked := n.NewPass(), n.NewPass()
	n.Forward(open, w, x)
	masked.Mask[1], masked.Mask[2] = []float64{1, 1, 1}, []float64{1, 1, 1, 1}
	n.Forward(masked, w, x)
	if !floats.Equal(open.Logit, masked.Logit) {
		t.Errorf("%v with a mask of ones, %v without", masked.Logit, open.Logit)
	}
	masked.Mask[1], masked.Mask[2] = []float64{2, 0, 0.5}, []float64{0, 1, 1.5, 1}
	scaled := append([]float64(nil), w...)
	for l := 1; l < 3; l++ {
		for j := range n.Layers[l].Out {
			for i, f := range masked.Mask[l] {
				n.Layers[l].Neuron(scaled, j)[i] *= f
			}
		}
	}
	n.Forward(open, scaled, x)
	n.Forward(masked, w, x)
	if !floats.EqualApprox(open.Logit, masked.Logit, 1e-13) {
		t.Errorf("%v with a mask, %v with its weights", masked.Logit, open.Logit)
	}
	got := make([]float64, len(w))
	copy(masked.Score, []float64{1, -2})
	n.Backward(masked, got, w)
	want := fd.Gradient(nil, func(w []float64) float64 {
		n.Forward(masked, w, x)
		return masked.Logit[0] - 2*masked.Logit[1]
	}, w, &fd.Settings{Formula: fd.Central})
	if !floats.EqualApprox(got, want, 1e-7) {
		t.Errorf("gradient %v, by differences %v", got, want)
	}
}
