package figures

import (
	"bytes"
	"image/color"
	"image/png"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// testCharts use every style, axes from the data and given ones, linear and
// logarithmic ones, gaps, intervals and texts.
func testCharts() [][]Chart {
	x := []float64{0.01, 0.1, 1, 10, 100}
	y := []float64{1e-4, 1e-3, math.NaN(), 0, 0.2}
	log := func(label string) Axis { return Axis{Label: label, Log: true} }
	identity := Curve{Name: "identity", Style: Reference, X: []float64{-9, 9}, Y: []float64{-9, 9}}
	return [][]Chart{{
		{Title: "$n$ = 2", X: log("variance"), Y: log("error"), Curves: []Curve{
			{Name: "probit", X: x, Y: y},
			{Name: "Monte Carlo", X: x, Y: x, Low: []float64{0, 0.05, 0.5, 5, 50}, High: []float64{0.02, 0.2, 2, 20, 200}, Texts: []string{"10³", "", "", "", "10⁴"}},
		}},
		{Title: "$n$ = 3", X: log("variance"), Y: log("error"), Curves: []Curve{
			{Name: "probit", X: x, Y: []float64{1e-5, 1e-3, 1e-2, 1, 1}},
		}},
	}, {
		{Title: "$Σ_y$", X: Axis{Label: "quantile", Min: -3, Max: 3}, Y: Axis{Label: "$z$", Min: -3, Max: 3}, Curves: []Curve{
			identity,
			{Name: "scores", Style: Scatter, X: x, Y: x},
			{Name: "band", Style: Line, X: x, Y: x, Low: y, High: []float64{1, 2, 3, 4, 5}},
		}},
	}}
}

// sweep is a map with logarithmic axes, a logarithmic scale, curves and gaps.
func sweep() (Map, Scale) {
	x, y := []float64{0.05, 0.2, 1.5}, []float64{1e-3, 1, 1e3, 1e4}
	z := []float64{1e-4, 1e-3, 1e-2, 0, 0.1, 1, math.NaN(), 0.5, 0.5, 1e-3, 1e-3, 2}
	return Map{X: x, Y: y, Z: z, LogX: true, LogY: true, Curves: []Curve{
		{Name: "slope", Style: Line, X: x, Y: []float64{1e-2, 1, 10}},
		{Name: "boundary", Style: Reference, X: []float64{0.01, 2}, Y: []float64{1, 1}},
		{Name: "best", X: []float64{0.1, 0.3, 9, -1}, Y: []float64{10, 100, 100, 1}},
	}}, Scale{Label: "error", Min: 1e-4, Max: 1, Log: true}
}

func TestAxesFromData(t *testing.T) {
	log := func(label string) Axis { return Axis{Label: label, Log: true} }
	a := Chart{X: Axis{Label: "x"}, Y: log("y"), Curves: []Curve{
		{X: []float64{0, 1}, Y: []float64{1e-2, -1}, Low: []float64{1e-3, -2}, High: []float64{1, math.NaN()}},
		{X: []float64{-50, 50}, Y: []float64{1e-9, 1e9}, Style: Reference},
	}}
	b := Chart{X: Axis{Label: "x"}, Y: log("y"), Curves: []Curve{{X: []float64{9, 10, math.Inf(1)}, Y: []float64{1, 10, 2}}}}
	other := Chart{X: Axis{Label: "other"}, Y: log("other"), Curves: []Curve{{X: []float64{7, 7}, Y: []float64{5, 5}}}}
	zero := Chart{Curves: []Curve{{X: []float64{0}, Y: []float64{math.NaN()}}}}
	only := Chart{Curves: []Curve{{X: []float64{2, 4}, Y: []float64{2, 4}, Style: Reference}}}
	for _, test := range []struct {
		name         string
		got          extent
		lo, hi, grow float64 // the ends without a margin, and whether there is one
	}{
		{"column", extentX([][]Chart{{a, b}, {other}, {b, a}}, 0, a.X), 0, 10, 1},
		{"column alone", extentX([][]Chart{{a, b}, {other}}, 0, a.X), 0, 1, 1},
		{"other label", extentX([][]Chart{{a, b}, {other}}, 0, other.X), 3.5, 10.5, 1},
		{"row", extentY([]Chart{a, b, other}, a.Y), 1e-3, 10, 1},
		{"row alone", extentY([]Chart{a, other}, a.Y), 1e-3, 1, 1},
		{"one value", extentY([]Chart{a, other}, other.Y), 2.5, 10, 1},
		{"zero", extentX([][]Chart{{zero}}, 0, zero.X), -1, 1, 1},
		{"nothing", extentY([]Chart{zero}, zero.Y), -1, 1, 1},
		{"references only", extentY([]Chart{only}, only.Y), 2, 4, 1},
		{"nothing, log", extentY(nil, log("y")), 0.1, 10, 1},
		{"given", extentX([][]Chart{{a}}, 0, Axis{Min: 0, Max: 3}), 0, 3, 0},
	} {
		lo, hi := test.lo, test.hi
		if test.got.log {
			lo, hi = math.Log(lo), math.Log(hi)
			test.got.lo, test.got.hi = math.Log(test.got.lo), math.Log(test.got.hi)
		}
		margin := test.grow * dataMargin * (hi - lo)
		if !scalar.EqualWithinAbs(test.got.lo, lo-margin, 1e-12) || !scalar.EqualWithinAbs(test.got.hi, hi+margin, 1e-12) {
			t.Errorf("%s: %+v, want %g and %g", test.name, test.got, lo-margin, hi+margin)
		}
	}
}

// TestSheet checks where the panels of a ragged page stand.
func TestSheet(t *testing.T) {
	x, wide := edge{extent{0, 1, false}, "x"}, edge{extent{0, 99999, false}, "x"}
	areas := map[[2]int]vg.Rectangle{}
	s := sheet{aspect: 0.75, margin: 30}
	edges := [][][2]edge{{{x, x}, {x, x}, {x, wide}}, {{x, wide}, {wide, wide}, {x, wide}}, {{x, x}}}
	for i, r := range edges {
		var row []panel
		for j, e := range r {
			row = append(row, panel{title: "t", x: e[0], y: e[1], draw: func(_ draw.Canvas, a vg.Rectangle) { areas[[2]int{i, j}] = a }})
		}
		s.rows = append(s.rows, row)
	}
	bare := func(f func(i, j int) bool) (out []bool) {
		for i, r := range edges {
			for j := range r {
				out = append(out, f(i, j))
			}
		}
		return out
	}
	if got, want := bare(s.bareX), []bool{true, false, true, true, false, false, false}; !slices.Equal(got, want) {
		t.Errorf("bare x %v, want %v", got, want)
	}
	if got, want := bare(s.bareY), []bool{false, true, false, false, true, true, false}; !slices.Equal(got, want) {
		t.Errorf("bare y %v, want %v", got, want)
	}
	if got, want := bare(s.repeated), []bool{false, false, false, true, true, true, true}; !slices.Equal(got, want) {
		t.Errorf("repeated titles %v, want %v", got, want)
	}
	f := s.figure()
	encode(t, f, "svg")
	size := areas[[2]int{0, 0}].Size()
	if !scalar.EqualWithinAbs(float64(size.Y), 0.75*float64(size.X), float64(dot)) {
		t.Errorf("size %v", size)
	}
	for at, a := range areas {
		left, top := areas[[2]int{0, at[1]}], areas[[2]int{at[0], 0}]
		if a.Min.X != left.Min.X || a.Min.Y != top.Min.Y || a.Size().Sub(size) != (vg.Point{}) && distanceOf(a.Size(), size) > 1e-9 {
			t.Errorf("panel %v at %v is not in line", at, a)
		}
		for _, v := range []vg.Length{a.Min.X, a.Min.Y, a.Max.X, a.Max.Y} {
			if d := float64(v / dot); math.Abs(d-math.Round(d)) > 1e-6 {
				t.Errorf("panel %v: edge at %g dots", at, d)
			}
		}
		if a.Min.X < 0 || a.Max.X > f.width-s.margin+dot*4 || a.Max.Y > f.height {
			t.Errorf("panel %v at %v on a page of %v by %v", at, a, f.width, f.height)
		}
	}
	// The last column has text of its own to its left, the middle one has not.
	name := lineHeight()
	near := areas[[2]int{0, 1}].Min.X - areas[[2]int{0, 0}].Max.X
	far := areas[[2]int{0, 2}].Min.X - areas[[2]int{0, 1}].Max.X
	if far-near < widest(wide.yTicks())+name {
		t.Errorf("gaps %v and %v", near, far)
	}
	// So has the first row below it, the second has not.
	if up, low := areas[[2]int{0, 0}].Min.Y-areas[[2]int{1, 0}].Max.Y, areas[[2]int{1, 0}].Min.Y-areas[[2]int{2, 0}].Max.Y; up-low < name {
		t.Errorf("row gaps %v and %v", up, low)
	}
}

func distanceOf(a, b vg.Point) float64 {
	return math.Hypot(float64(a.X-b.X), float64(a.Y-b.Y))
}

// TestQuantilePlotIsSquare compares the shapes of charts.
func TestQuantilePlotIsSquare(t *testing.T) {
	a := Axis{Label: "z", Min: -3, Max: 3}
	square := Charts([][]Chart{{{X: a, Y: a}}})
	flat := Charts([][]Chart{{{X: a, Y: a}}, {{X: a, Y: Axis{Min: -3, Max: 4}}}})
	if d := float64(square.height) - float64(flat.height)/2; d < 20 {
		t.Errorf("heights %v and %v", square.height, flat.height)
	}
}

// TestCurvesStayInside draws curves that leave a chart on all sides and looks
// for their colour outside its area.
func TestCurvesStayInside(t *testing.T) {
	far := []float64{-1e6, 0.2, 0.5, 0.8, 1e6}
	f := Charts([][]Chart{{{
		X: Axis{Max: 1}, Y: Axis{Max: 2},
		Curves: []Curve{{Style: Line, X: far, Y: []float64{0.5, -3, 4, 1e200, 0.5}, Low: []float64{-9, -9, -9, -9, -9}, High: []float64{9, 9, 9, 1e300, 9}}},
	}}})
	img, err := png.Decode(bytes.NewReader(encode(t, f, "png")))
	if err != nil {
		t.Fatal(err)
	}
	b := img.Bounds()
	tinted := tint(inks[0])
	inside := b
	found := 0
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c := color.NRGBAModel.Convert(img.At(x, y))
			if c == inks[0] || c == tinted {
				if found == 0 {
					inside.Min, inside.Max = img.Bounds().Max, img.Bounds().Min
				}
				found++
				inside.Min.X, inside.Max.X = min(inside.Min.X, x), max(inside.Max.X, x)
				inside.Min.Y, inside.Max.Y = min(inside.Min.Y, y), max(inside.Max.Y, y)
			}
		}
	}
	w, h := inside.Dx(), inside.Dy()
	// The frame is as wide as a dot or two, the area 0.78 of its width high.
	if found < 1000 || w > b.Dx()-30 || math.Abs(float64(h)-float64(chartAspect)*float64(w)) > 6 {
		t.Errorf("%d dots of colour in %v of %v", found, inside, b)
	}
}

func TestSweep(t *testing.T) {
	m, s := sweep()
	var got []string
	for _, e := range mapLegend([]Row{{s, []Map{m}}}, Labels{}) {
		got = append(got, e.text)
	}
	want := []string{
		"slope", "boundary", "best", "below scale (1 value)", "above scale (1 value)", "not a number (1 value)",
		"1 point ≤ 0, not shown on a logarithmic axis", "1 point outside the maps",
	}
	if !slices.Equal(got, want) {
		t.Errorf("legend %q, want %q", got, want)
	}
	// The middles of the pixels are at 1/8, 3/8, 5/8, 7/8 of three decades.
	if got, want := nearest([]float64{1, 10, 1000}, true), []int{0, 1, 1, 2}; !slices.Equal(got, want) {
		t.Errorf("nearest = %v, want %v", got, want)
	}
	// Its columns are those of 0.05, 0.2, 0.2 and 1.5, and its rows those of
	// 1e3, 1e3, 1, 1, 1 and 1e-3.
	if got, want := m.image(s).Pix, m.Z; got[0] != s.index(want[6]) || got[3] != s.index(want[8]) ||
		!slices.Equal(got[16:20], []uint8{below, 189, 189, shades - 1}) || got[22] != s.index(want[1]) {
		t.Errorf("image %v", got)
	}
	for _, test := range []struct {
		v    float64
		want uint8
	}{
		{1e-4, 0},
		{1e-2, (shades - 1) / 2},
		{1, shades - 1},
		{0, below},
		{-1, below},
		{math.Inf(-1), below},
		{math.Nextafter(1, 2), above},
		{math.NaN(), absent},
	} {
		if got := s.index(test.v); got != test.want {
			t.Errorf("index(%v) = %d, want %d", test.v, got, test.want)
		}
	}
}
