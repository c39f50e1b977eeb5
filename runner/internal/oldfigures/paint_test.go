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
	"gonum.org/v1/plot/vg/recorder"
)

// record returns the paths that are filled and stroked on a canvas.
func record(f func(draw.Canvas)) (fills, strokes []vg.Path) {
	var c recorder.Canvas
	f(draw.NewCanvas(&c, 500, 500))
	for _, a := range c.Actions {
		switch a := a.(type) {
		case *recorder.Fill:
			fills = append(fills, a.Path)
		case *recorder.Stroke:
			strokes = append(strokes, a.Path)
		}
	}
	return fills, strokes
}

// TestMarkers counts the markers of curves on an area that is 100 wide.
func TestMarkers(t *testing.T) {
	near := func(n int) (x []float64) {
		for i := range n {
			x = append(x, 10*float64(i)/float64(n-1))
		}
		return x
	}
	alone := near(41)
	alone[6], alone[8] = math.NaN(), math.NaN() // point 7 is 7.5 from the marker before
	for _, test := range []struct {
		name  string
		style Style
		x     []float64
		want  int
	}{
		{"few", Marked, near(fewPoints), fewPoints},
		{"few and near", Marked, slices.Repeat([]float64{1}, fewPoints), fewPoints},
		{"many", Marked, near(41), 11},       // 10 apart, as 7.5 is too near
		{"a point alone", Marked, alone, 11}, // 10 without its marker
		{"scatter", Scatter, near(200), 200},
		{"line", Line, near(5), 0},
		{"a dot", Line, []float64{1, math.NaN(), 3, math.NaN(), 5, 6}, 2},
		{"outside", Scatter, []float64{-1, 5, 11}, 1},
	} {
		c := Curve{Style: test.style, X: test.x, Y: slices.Repeat([]float64{5}, len(test.x))}
		p := testPainter(false, c)
		fills, _ := record(func(dc draw.Canvas) { p.draw(dc, []Curve{c}) })
		if len(fills) != test.want {
			t.Errorf("%s: %d markers, want %d", test.name, len(fills), test.want)
		}
	}
}

// TestBandsAndBars follows the interval of a curve to the foot of a
// logarithmic axis.
func TestBandsAndBars(t *testing.T) {
	for _, style := range []Style{Line, Scatter} {
		c := Curve{Style: style, X: []float64{1, 2, 3}, Y: []float64{1, 1, 1}, Low: []float64{-1, 0, math.NaN()}, High: []float64{2, 2, 2}}
		p := testPainter(true, c)
		fills, strokes := record(func(dc draw.Canvas) { p.draw(dc, []Curve{c}) })
		paths := fills[:1] // the band of the first two points
		if style == Scatter {
			paths = nil
			for _, s := range strokes {
				if len(s) == 2 { // a bar; the white edges of markers have more
					paths = append(paths, s)
				}
			}
			if len(paths) != 4 { // two bars, an end each within the area
				t.Errorf("%d lines of bars", len(paths))
			}
		}
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, path := range paths {
			for _, s := range path {
				if s.Type != vg.CloseComp {
					lo, hi = min(lo, float64(s.Pos.Y)), max(hi, float64(s.Pos.Y))
				}
			}
		}
		if want := float64(p.at(1, 2).Y); !scalar.EqualWithinAbs(lo, 30, 1e-6) || !scalar.EqualWithinAbs(hi, want, 1e-6) {
			t.Errorf("style %d: from %g to %g, want 30 to %g", style, lo, hi, want)
		}
	}
}

// TestMinorTicksAreShort measures the ticks of an axis.
func TestMinorTicksAreShort(t *testing.T) {
	_, strokes := record(func(dc draw.Canvas) {
		axis{side: left, edge: edge{extent{0, 1, false}, ""}, ticks: []tick{{at: 0}, {at: 1, minor: true}}}.draw(dc, box(50, 50, 10, 10))
	})
	p := strokes[0]
	if major, minor := p[0].Pos.X-p[1].Pos.X, p[2].Pos.X-p[3].Pos.X; math.Abs(float64(major-tickLength)) > 1e-9 || math.Abs(float64(minor-minorTick)) > 1e-9 {
		t.Errorf("ticks of %v and %v", major, minor)
	}
}

// TestMapCurves counts the strokes that curves add to a map.
func TestMapCurves(t *testing.T) {
	m, s := sweep()
	count := func() int {
		known := mapLooks([]Row{{s, []Map{m}}})
		var c recorder.Canvas
		m.draw(draw.NewCanvas(&c, 500, 500), box(0, 0, 100, 100), s, known)
		n := 0
		for _, a := range c.Actions {
			if _, ok := a.(*recorder.Stroke); ok {
				n++
			}
		}
		return n
	}
	with := count()
	m.Curves = nil
	// Three lines and their casings, and two strokes at each of two markers.
	if got := with - count(); got != 3*2+2*2 {
		t.Errorf("%d strokes", got)
	}
}

func TestLegendColumns(t *testing.T) {
	entries := aligned([]entry{{text: "a"}, {text: "a long one", width: 20}, {text: "mid"}, {text: "b"}})
	lines := newLegend(entries, 2*entries[1].extent()+legendSpace)
	if len(lines) != 2 || len(lines[0]) != 2 || lines[0][0].extent() != lines[1][0].extent() {
		t.Errorf("legend %v", lines)
	}
}

// TestTextHasRoom looks for ink at the edge of pages, where text would be cut,
// and compares the text below neighbouring charts.
func TestTextHasRoom(t *testing.T) {
	wide := Chart{Title: "t", X: Axis{Label: "x", Max: 100000}, Y: Axis{Label: "y", Min: -1e5, Max: 1}}
	charts := [][]Chart{{wide, wide, wide}, {wide, wide, wide}}
	m, s := sweep()
	for i, f := range []*Figure{Charts(charts), Charts(charts[:1]), Charts(testCharts()), Single(m, s, Labels{})} {
		img, err := png.Decode(bytes.NewReader(encode(t, f, "png")))
		if err != nil {
			t.Fatal(err)
		}
		b := img.Bounds()
		for y := range b.Dy() {
			for x := range b.Dx() {
				if x > 1 && y > 1 && x < b.Dx()-2 && y < b.Dy()-2 {
					continue
				}
				if color.NRGBAModel.Convert(img.At(x, y)) != paper {
					t.Fatalf("figure %d: ink at %d, %d of %v", i, x, y, b)
				}
			}
		}
	}
	e := edge{extent{0, 80000, false}, "x"}
	page := sheet{rows: [][]panel{{{x: e}, {x: e}}}}
	sty := words(tickSize, 0, 0)
	if got, want := page.gap(1), (sty.Width("80000")+sty.Width("0"))/2+labelApart; !scalar.EqualWithinAbs(float64(got), float64(want), 1e-9) {
		t.Errorf("gap %v, want %v", got, want)
	}
}
