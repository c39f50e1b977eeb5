package figures

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"testing"

	"closedform/internal/check"
)

// flagged returns a small map with values that its scale cannot show.
func flagged() (Map, Axis) {
	nan, inf := math.NaN(), math.Inf(1)
	g := []float64{-2, 0, 2}
	return Map{X: g, Y: g, Z: []float64{-1e-9, -inf, 0, nan, 0.5, 1, 0.25, 0.75, 1.5}}, Axis{Label: "variance", Max: 1}
}

// sweep is a map with logarithmic axes, a logarithmic scale, curves and gaps.
func sweep() (Map, Axis) {
	x, y := []float64{0.05, 0.2, 1.5}, []float64{1e-3, 1, 1e3, 1e4}
	z := []float64{1e-4, 1e-3, 1e-2, 0, 0.1, 1, math.NaN(), 0.5, 0.5, 1e-3, 1e-3, 2}
	return Map{X: x, Y: y, Z: z, LogX: true, LogY: true, Curves: []Curve{
		{Name: "slope", Kind: Line, X: x, Y: []float64{1e-2, 1, 10}},
		{Name: "boundary", Kind: Reference, X: []float64{0.01, 2}, Y: []float64{1, 1}},
		{Name: "best", X: []float64{0.1, 0.3, 9, -1}, Y: []float64{10, 100, 100, 1}},
	}}, Axis{Label: "error", Min: 1e-4, Max: 1, Log: true}
}

// The cells of a picture are two between neighbours: cells at the border are halves
// and those at the corners are quarters.
func TestField(t *testing.T) {
	m, s := flagged()
	x, y := m.axes(Labels{})
	f := m.field(x, y, s)
	inf, nan := math.Inf(1), math.NaN()
	for r, row := range [][]float64{{-1e-9, -inf, -inf, 0}, {nan, 0.5, 0.5, 1}, {nan, 0.5, 0.5, 1}, {0.25, 0.75, 0.75, 1.5}} {
		for c, want := range row {
			if got := f.Z(c, r); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("cell %d, %d is %g, want %g", c, r, got, want)
			}
		}
	}
	check.Equal(t, "middles", []any{f.X(0), f.X(3), f.Y(2)}, []any{-1.5, 1.5, 0.5})
	// Two for the closest points, 1.2: the middles of the cells are 0.3, 0.9, ...; the grid's
	// cells meet at 0.6, 2.2, 4.6.
	if _, got := cells([]float64{0, 1.2, 3.2, 6}, Axis{Max: 6}); !slices.Equal(got, []int{0, 1, 1, 1, 2, 2, 2, 2, 3, 3}) {
		t.Errorf("nearest grid points %v", got)
	}
	// They are at 1/12, 3/12, … of three decades.
	if _, got := cells([]float64{1, 10, 1000}, Axis{Min: 1, Max: 1000, Log: true}); !slices.Equal(got, []int{0, 1, 1, 1, 2, 2}) {
		t.Errorf("nearest grid points %v", got)
	}
	f.scale = Axis{Min: 1e-4, Max: 1, Log: true}
	check.Equal(t, "values on a logarithmic scale", []float64{f.Z(3, 0), f.Z(3, 1), f.Z(0, 0)}, []float64{-inf, 0, -inf})
}

// Pixels of the picture have the colours of their values, the first row of the grid at the foot.
func TestMapColours(t *testing.T) {
	m := Map{X: []float64{0, 1}, Y: []float64{0, 1}, Z: []float64{0, 1, -1, 2}}
	f := Maps([]Row{{Axis{Max: 1}, []Map{m}}}, Labels{})
	img := decode(t, f)
	seen := map[color.Color][2]int{}
	for y := range img.Bounds().Dy() / 2 * 2 {
		for x := range img.Bounds().Dx() / 2 {
			if c := color.NRGBAModel.Convert(img.At(x, y)); seen[c] == [2]int{} {
				seen[c] = [2]int{x, y}
			}
		}
	}
	first, last := anchors[0], anchors[len(anchors)-1]
	low, below := seen[first], seen[belowColor]
	if low == [2]int{} || below == [2]int{} || low[1] <= below[1] || low[0] != below[0] {
		t.Errorf("the minimum begins at %v, below it at %v", low, below)
	}
	for x := range img.Bounds().Dx() {
		if c := color.NRGBAModel.Convert(img.At(x, low[1]+50)); c == last {
			return
		}
	}
	t.Error("no maximum beside the minimum")
}

func TestMapLegend(t *testing.T) {
	keys := func(rows []Row, l Labels) []string {
		return texts(mapKeys(rows, l, stylesOf(rows[0].Maps[0].lines())))
	}
	m, s := flagged()
	m.Points = []Point{{0, 0, 1}, {1, 1, 0}, {2, 2, 0}, {2.1, 0, 1}}
	field, scale := sweep()
	bound := Map{X: m.X, Y: m.Y, Z: make([]float64, 9), Boundary: []Segment{{0, 0, 1, 1}}}
	for _, test := range []struct {
		name string
		rows []Row
		l    Labels
		want []string
	}{
		{"flags", []Row{{s, []Map{m, m}}}, Labels{Classes: []string{"cat", "dog"}, Below: "negative"}, []string{
			"cat", "dog", "negative (4 values)", "above scale (2 values)", "not a number (2 values)", "2 examples outside the maps",
		}},
		{"named classes", []Row{{s, []Map{bound}}}, Labels{Classes: []string{"cat", "dog"}}, []string{"cat", "dog", boundaryName}},
		{"curves", []Row{{scale, []Map{field}}}, Labels{}, []string{
			"slope", "boundary", "best", "below scale (1 value)", "above scale (1 value)", "not a number (1 value)",
			"1 point ≤ 0, not shown on a logarithmic axis", "1 point outside the maps",
		}},
	} {
		check.Equal(t, fmt.Sprintf("%s: legend", test.name), keys(test.rows, test.l), test.want)
	}
}
