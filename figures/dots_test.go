package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"closedform/internal/check"
)

// dotPlot has every kind of dot.
func dotPlot() DotPlot {
	inf, nan := math.Inf(1), math.NaN()
	return DotPlot{
		Names: []string{"one", "two", "three", "four"},
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
		{func(d *DotPlot) { d.Mark = 0.5 }, true},
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

// All panels have one width, however long the names are.
func TestLongNames(t *testing.T) {
	for _, length := range []int{1, 20, 50, 200} {
		none := slices.Repeat([]Dot{{math.NaN(), 0, 0}}, 8)
		d := DotPlot{Names: make([]string, len(none)), Panels: slices.Repeat([]DotPanel{{Dots: none}}, 9), Columns: 5, X: Axis{Max: 1}}
		d.Names[0] = strings.Repeat("n", length)
		img := decode(Dots(d))
		var edges [2][]int // of the panels in each row of panels
		for row := range edges {
			for x := range img.Bounds().Dx() {
				dark := 0
				for y := range 60 {
					if r, _, _, _ := img.At(x, 30+130*row+y).RGBA(); r < 0xd800 {
						dark++
					}
				}
				if n := len(edges[row]); dark == 60 && (n == 0 || edges[row][n-1] < x-1) {
					edges[row] = append(edges[row], x)
				}
			}
		}
		if n := len(edges[1]); n < 8 || len(edges[0]) < 10 || !slices.Equal(edges[1], edges[0][:n]) || edges[0][9]-edges[0][0] < img.Bounds().Dx()/3 {
			t.Errorf("a name of %d letters: edges at %d", length, edges)
		}
	}
}
