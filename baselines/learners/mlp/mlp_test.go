package mlp

import (
	"slices"
	"testing"

	"closedform/core/random"
	check "closedform/internal/checktest"
)

func TestExamples(t *testing.T) {
	x, class := [][]float64{{1, 2}, {3, 4}}, []int{0, 2}
	e := check.Must(New([]int{2, 3}, true).Examples(x, class))
	x[1][0] = 9
	if len(e) != 2 || !slices.Equal(e[1], []float64{3, 4, 1}) {
		t.Errorf("examples %v", e)
	}
	for _, widths := range [][]int{{3}, {3, 0, 2}, {3, 1}} {
		_, _, err := Start(widths, &struct{}{}, random.Source())
		check.Refuses(t, "layers", err, "layers")
	}
}
