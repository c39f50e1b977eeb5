package mlp

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/diff/fd"

	"closedform/core/random"
	check "closedform/internal/checktest"
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
	check.NearAll(t, "logits with a mask of ones", masked.Logit, open.Logit, 0)
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
	check.NearAll(t, "logits with a mask", masked.Logit, open.Logit, 1e-13)
	got := make([]float64, len(w))
	copy(masked.Score, []float64{1, -2})
	n.Backward(masked, got, w)
	want := fd.Gradient(nil, func(w []float64) float64 {
		n.Forward(masked, w, x)
		return masked.Logit[0] - 2*masked.Logit[1]
	}, w, &fd.Settings{Formula: fd.Central})
	check.NearAll(t, "gradient", got, want, 1e-7)
}

// Two steps by hand. The first is rate·g/(|g|+ε) whatever β₁ and β₂ are.
func TestAdam(t *testing.T) {
	a, w := NewAdam(2), []float64{1, 1}
	a.Begin(0.1)
	a.Move(0, w, []float64{2, -1e-8})
	check.NearAll(t, "one step", w, []float64{1 - 0.1*2/(2+1e-8), 1 + 0.1*0.5}, 1e-14)
	// m = 0.9·0.2 + 0.1·(−1) = 0.08, v = 0.999·0.004 + 0.001 = 0.004996,
	// m̂ = 0.08/0.19, v̂ = 0.004996/0.001999.
	before := w[0]
	a.Begin(0.3)
	a.Move(0, w, []float64{-1, 0})
	want := before - 0.3*(0.08/0.19)/(math.Sqrt(0.004996/0.001999)+1e-8)
	check.Near(t, "two steps", w[0], want, 1e-12)
}

func TestExamples(t *testing.T) {
	x, class := [][]float64{{1, 2}, {3, 4}}, []int{0, 2}
	e := check.Must(New([]int{2, 3}, true).Examples(x, class))
	x[1][0] = 9
	if len(e) != 2 || !slices.Equal(e[1], []float64{3, 4, 1}) {
		t.Errorf("examples %v", e)
	}
	for _, widths := range [][]int{{3}, {3, 0, 2}, {3, 1}} {
		if CheckLayers(widths) == nil {
			t.Errorf("layers %v were accepted", widths)
		}
	}
}
