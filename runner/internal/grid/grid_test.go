package grid

import (
	"fmt"
	"testing"

	"closedform/internal/check"
)

// The points are row by row, the first coordinate changing fastest, and every second line has its own points of them.
func TestGrid(t *testing.T) {
	g := New([]float64{1, 2, 3}, []float64{10, 20, 30, 40})
	check.Equal(t, "points", fmt.Sprint(g.Points[:5], len(g.Points)), "[[1 10] [2 10] [3 10] [1 20] [2 20]] 12")
	for stride, want := range map[int]string{1: "[0 1 2 3 4 5 6 7 8 9 10 11]", 2: "[0 2 6 8]", 3: "[0 9]", 9: "[0]"} {
		check.Equal(t, fmt.Sprintf("every %d", stride), fmt.Sprint(g.Every(stride)), want)
	}
}
