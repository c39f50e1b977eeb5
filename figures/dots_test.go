package figures

import (
	"fmt"
	"math"
	"slices"
	"testing"

	check "closedform/internal/checktest"
)

// dotPlot has every kind of dot.
func dotPlot() DotPlot {
	inf, nan := math.Inf(1), math.NaN()
	return DotPlot{
		Names: []string{"one", "two", "three", "four"}, Groups: make([]int, 4),
		Panels: []DotPanel{
			{Title: "a", Dots: []Dot{{0.5, 0.2, 0.8}, {0.1, -0.3, 0.5}, {inf, nan, nan}, {-7, -8, 3}}},
			{Title: "b", Dots: []Dot{{nan, nan, nan}, {0.2, nan, nan}, {-inf, nan, nan}, {0, -inf, inf}}},
			{Title: "c", Dots: []Dot{{1, 1, 1}, {0, 0, 0}, {2, 0, 4}, {-1, -1, 0}}},
		},
		Columns: 2, X: Axis{Label: "difference", Min: -1, Max: 1}, Key: "mean", Apart: "apart", Held: "held",
	}
}

// What is drawn follows the numbers, but for how far beyond the axis a dot lies.
func TestDotsShowTheirNumbers(t *testing.T) {
	first := digests([]*Figure{Dots(dotPlot())})
	for i, test := range []struct {
		change func(*DotPlot)
		seen   bool
	}{
		{func(d *DotPlot) { d.Panels[0].Dots[0].Value = 0.6 }, true},
		{func(d *DotPlot) { d.Panels[0].Dots[1].High = 0.6 }, true},
		{func(d *DotPlot) { d.Panels[0].Dots[2].Value = math.Inf(-1) }, true}, // the arrow is at the other end
		{func(d *DotPlot) { d.Panels[0].Dots[2].Value = math.NaN() }, true},
		{func(d *DotPlot) { d.Names[3] = "five" }, true},
		{func(d *DotPlot) { slices.Reverse(d.Names) }, true},
		{func(d *DotPlot) { d.Panels[2].Title = "d" }, true},
		{func(d *DotPlot) { d.Panels[0].Dots[3].Value, d.Panels[0].Dots[3].Low = -70, -80 }, false},
	} {
		other := dotPlot()
		test.change(&other)
		check.Equal(t, fmt.Sprintf("change %d is seen", i), digests([]*Figure{Dots(other)}) != first, test.seen)
	}
}
