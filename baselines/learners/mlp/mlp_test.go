package mlp

import (
	"testing"

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
