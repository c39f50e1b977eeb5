package mlp

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/check"
)

// Two steps by hand. The first is rate·g/(|g|+ε) whatever β₁ and β₂ are.
func TestAdam(t *testing.T) {
	a, w := NewAdam(2), []float64{1, 1}
	a.Step(w, []float64{2, -1e-8}, 0.1)
	if want := []float64{1 - 0.1*2/(2+1e-8), 1 + 0.1*0.5}; !floats.EqualApprox(w, want, 1e-14) {
		t.Errorf("after one step %.15g, want %.15g", w, want)
	}
	// m = 0.9·0.2 + 0.1·(−1) = 0.08, v = 0.999·0.004 + 0.001 = 0.004996,
	// m̂ = 0.08/0.19, v̂ = 0.004996/0.001999.
	before := w[0]
	a.Step(w, []float64{-1, 0}, 0.3)
	want := before - 0.3*(0.08/0.19)/(math.Sqrt(0.004996/0.001999)+1e-8)
	if !(math.Abs(w[0]-want) < 1e-12) {
		t.Errorf("after two steps %.15g, want %.15g", w[0], want)
	}
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
