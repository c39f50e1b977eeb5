package data

import (
	"fmt"
	"testing"
)

// The points are row by row, the first coordinate changing fastest, and every second
// line has its own points of them.
func TestGrid(t *testing.T) {
	g := Region{Low: [2]float64{1, 10}, High: [2]float64{4, 40}}.Grid(4)
	if got, want := fmt.Sprint(g.Points[:6], len(g.Points)), "[[1 10] [2 10] [3 10] [4 10] [1 20] [2 20]] 16"; got != want {
		t.Errorf("points %s, want %s", got, want)
	}
	for stride, want := range map[int]string{
		1: "[0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15]", 2: "[0 2 8 10]", 3: "[0 3 12 15]", 9: "[0]",
	} {
		if got := fmt.Sprint(g.Every(stride)); got != want {
			t.Errorf("every %d: %s, want %s", stride, got, want)
		}
	}
}
