package mlp

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/diff/fd"

	"closedform/core/random"
	check "closedform/internal/checktest"
)

func TestExamples(t *testing.T) {
	x, class := [][]float64{{1, 2}, {3, 4}}, []int{0, 2}
	e := check.Must(New([]int{2, 3}, true).Examples(x, class))
	x[1][0] = 9
	check.Equal(t, "examples", e, [][]float64{{1, 2, 1}, {3, 4, 1}})
	for _, widths := range [][]int{{3}, {3, 0, 2}, {3, 1}} {
		_, _, err := Start(widths, &struct{}{}, random.Source())
		check.Refuses(t, "layers", err, "layers")
	}
}

// Each column is as Exponentials leaves it, also where the logits differ by more than an exponential holds.
func TestExponentialRows(t *testing.T) {
	z := [][]float64{{800, 0, -900}, {-800, 2, 0}, {1, 1, 900}}
	top, sum := make([]float64, 3), make([]float64, 3)
	columns := [3][]float64{}
	for i := range columns {
		columns[i] = []float64{z[0][i], z[1][i], z[2][i]}
	}
	ExponentialRows(z, top, sum)
	for i, column := range columns {
		largest, total := Exponentials(column)
		got := []float64{z[0][i], z[1][i], z[2][i], top[i], sum[i]}
		check.Equal(t, "column", got, append(column, largest, total))
	}
}

// Backward has the derivatives of −log p of a class, also with a mask of the hidden units.
func TestBackward(t *testing.T) {
	n, rnd, err := Start([]int{2, 4, 3}, &struct{}{}, random.Source("backward"))
	check.OK(t, err)
	x, w, p := []float64{0.5, -1.5}, make([]float64, n.Weights()), n.NewPass()
	n.Initialise(w, rnd)
	for _, p.Mask[1] = range [][]float64{nil, {1, 0, 2, 2}} {
		loss := func(w []float64) float64 {
			probabilities := make([]float64, 3)
			check.OK(t, n.Softmax(probabilities, p, w, x))
			return -math.Log(probabilities[1])
		}
		want, got := fd.Gradient(nil, loss, w, &fd.Settings{Formula: fd.Central}), make([]float64, len(w))
		loss(w)
		p.SetScore(1)
		n.Backward(p, got, w)
		check.NearAll(t, "gradient", got, want, 1e-8)
	}
}

// The first step of Adam moves each weight by its size, against the sign of the derivative.
func TestAdam(t *testing.T) {
	w, a := []float64{1, 2}, NewAdam(2)
	a.Begin(0.1)
	a.Move(0, w, []float64{3, -0.5})
	check.NearAll(t, "weights", w, []float64{0.9, 2.1}, 1e-8)
}
