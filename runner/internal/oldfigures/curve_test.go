package figures

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"
)

// testPainter paints in an area of 100 by 80 whose axes go from 0 to 10, or
// from 0.1 to 10 if they are logarithmic.
func testPainter(log bool, curves ...Curve) painter {
	p := painter{looks: new(looks)}
	p.x, p.y, p.area = extent{0, 10, false}, extent{0, 10, false}, box(20, 30, 100, 80)
	if log {
		p.x, p.y = extent{0.1, 10, true}, extent{0.1, 10, true}
	}
	for _, c := range curves {
		p.looks.add(c, maxCurves)
	}
	return p
}

func TestCurveMistakes(t *testing.T) {
	xy := []float64{1, 2}
	good := Curve{Name: "c", X: xy, Y: xy}
	with := func(change func(*Curve)) func() {
		c := good
		change(&c)
		return func() { Charts([][]Chart{{{Curves: []Curve{c}}}}) }
	}
	axes := func(x Axis) func() { return func() { Charts([][]Chart{{{X: x}}}) } }
	onMap := func(change func(*Map)) func() {
		m, s := flagged()
		m.Curves = []Curve{good}
		change(&m)
		return func() { Single(m, s, Labels{}) }
	}
	flags, _ := flagged()
	many := func(n int, style Style) (out []Curve) {
		for i := range n {
			out = append(out, Curve{Name: fmt.Sprint(i), Style: style, X: xy, Y: xy})
		}
		return out
	}
	for _, test := range []struct {
		name, want string
		f          func()
	}{
		{"lengths", "2 X and 1 Y", with(func(c *Curve) { c.Y = c.Y[:1] })},
		{"style", "style 4", with(func(c *Curve) { c.Style = Reference + 1 })},
		{"no High", "2 Low and 0 High", with(func(c *Curve) { c.Low = xy })},
		{"intervals", "none or 2", with(func(c *Curve) { c.Low, c.High = xy[:1], xy[:1] })},
		{"reversed", "interval 0", with(func(c *Curve) { c.Low, c.High = []float64{3, 2}, xy })},
		{"band of a reference", "reference", with(func(c *Curve) { c.Style, c.Low, c.High = Reference, xy, xy })},
		{"texts", "1 texts", with(func(c *Curve) { c.Texts = []string{"a"} })},
		{"two styles", "two styles", func() {
			Charts([][]Chart{{{Curves: []Curve{good}}, {Curves: []Curve{{Name: "c", Style: Line}}}}})
		}},
		{"too many", "one too many", func() { Charts([][]Chart{{{Curves: many(maxCurves+1, Line)}}}) }},
		{"no rows", "without rows", func() { Charts(nil) }},
		{"no charts", "row 1", func() { Charts([][]Chart{{{}}, {}}) }},
		{"reversed axis", "from 2 to 1", axes(Axis{Min: 2, Max: 1})},
		{"axis NaN", "axis", axes(Axis{Max: math.NaN()})},
		{"log axis from 0", "positive", axes(Axis{Log: true, Max: 1})},
		{"data too far apart", "axis", with(func(c *Curve) { c.X = []float64{-1e308, 1e308} })},
		{"log map", "positive", onMap(func(m *Map) { m.LogX = true })},
		{"band on map", "interval", onMap(func(m *Map) { m.Curves[0].Low, m.Curves[0].High = xy, xy })},
		{"text on map", "texts", onMap(func(m *Map) { m.Curves[0].Texts = []string{"a", "b"} })},
		{"curve of a map", "2 X", onMap(func(m *Map) { m.Curves[0].Y = nil })},
		{"too many on map", "one too many", onMap(func(m *Map) { m.Curves = many(maxMapCurves+1, Line) })},
		{"log scale", "positive", func() { Single(flags, Scale{Max: 1, Log: true}, Labels{}) }},
	} {
		wantPanic(t, test.name, test.want, test.f)
	}
	Charts([][]Chart{{{Curves: many(maxCurves, Marked)}}})
}

// TestLooksDiffer checks that every curve has a look of its own, and that the
// first ones need no colour.
func TestLooksDiffer(t *testing.T) {
	for _, style := range []Style{Marked, Line, Scatter} {
		p := testPainter(false)
		seen := map[string]string{}
		for i := range maxCurves {
			c := Curve{Name: fmt.Sprint(i), Style: style}
			p.looks.add(c, maxCurves)
			l := p.line(c)
			dash, shape := fmt.Sprint(l.Dashes), fmt.Sprint(i%len(markerShapes))
			if style == Line {
				shape = ""
			} else if style == Scatter {
				dash = ""
			}
			look := fmt.Sprint(l.Color, dash, shape)
			if i < 4 { // in grey
				look = dash + shape
			}
			if twin, ok := seen[look]; ok {
				t.Errorf("style %d: curves %s and %d look the same: %s", style, twin, i, look)
			}
			seen[look] = fmt.Sprint(i)
			if n := i - len(inks); n >= 0 && fmt.Sprint(p.line(Curve{Name: fmt.Sprint(n), Style: style}).Dashes) == fmt.Sprint(l.Dashes) {
				t.Errorf("style %d: curves %d and %d have the same ink and dashes", style, n, i)
			}
		}
	}
	p := testPainter(false)
	p.onMap = true
	seen := map[string]bool{}
	for i := range maxMapCurves {
		c := Curve{Name: fmt.Sprint(i), Style: Line}
		p.looks.add(c, maxMapCurves)
		seen[fmt.Sprint(p.line(c))] = true
	}
	if len(seen) != maxMapCurves || maxMapCurves > maxClasses {
		t.Errorf("%d looks of %d curves on maps", len(seen), maxMapCurves)
	}
}

// TestOneNameOneLook uses that the looks follow the names, not the places.
func TestOneNameOneLook(t *testing.T) {
	a, b, r := Curve{Name: "a"}, Curve{Name: "b"}, Curve{Name: "r", Style: Reference}
	known := checkCharts([][]Chart{{{Curves: []Curve{r, a}}, {Curves: []Curve{b, a}}}, {{Curves: []Curve{b, r}}}})
	if n := known.number; n["a"] != 0 || n["b"] != 1 || n["r"] != 0 {
		t.Errorf("looks %v", n)
	}
	var names []string
	for _, e := range (painter{looks: known}).signs() {
		names = append(names, e.text)
	}
	if !slices.Equal(names, []string{"r", "a", "b"}) {
		t.Errorf("legend %q", names)
	}
}

// TestInksForColourBlind simulates full protanopia, deuteranopia and
// tritanopia in linear RGB (G. Machado, M. Oliveira and L. Fernandes, 2009)
// and asks for a visible difference of the inks in CIE Lab, or in lightness.
func TestInksForColourBlind(t *testing.T) {
	for name, m := range map[string][3][3]float64{
		"normal":       {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
		"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
		"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
	} {
		for i, a := range inks {
			for j, b := range inks[:i] {
				if d := distance(lab(a, m), lab(b, m)); !(d > 12) {
					t.Errorf("%s: inks %d and %d are %.1f apart", name, i, j, d)
				}
			}
			if d := distance(lab(a, m), lab(paper, m)); !(d > 30) {
				t.Errorf("%s: ink %d is %.1f from the paper", name, i, d)
			}
		}
	}
}

// lab returns CIE Lab of a colour as seen through a matrix in linear RGB.
func lab(c color.NRGBA, m [3][3]float64) (out [3]float64) {
	var rgb, xyz [3]float64
	for i, v := range []uint8{c.R, c.G, c.B} {
		rgb[i] = float64(v) / 255
		if rgb[i] <= 0.04045 {
			rgb[i] /= 12.92
		} else {
			rgb[i] = math.Pow((rgb[i]+0.055)/1.055, 2.4)
		}
	}
	toXYZ := [3][3]float64{{0.4339, 0.3762, 0.1899}, {0.2127, 0.7152, 0.0721}, {0.0178, 0.1095, 0.8727}} // white is 1
	for i := range 3 {
		for j := range 3 {
			for k := range 3 {
				xyz[i] += toXYZ[i][j] * m[j][k] * rgb[k]
			}
		}
		xyz[i] = math.Cbrt(max(xyz[i], 0))
	}
	return [3]float64{116*xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])}
}

func distance(a, b [3]float64) float64 {
	return math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2])
}

func TestPieces(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	c := Curve{X: []float64{1, 2, 3, 4, 5, 6, 7, 8}, Y: []float64{nan, 1, 2, inf, 3, 0, nan, 5}}
	for _, test := range []struct {
		log  bool
		want [][2]int
	}{
		{false, [][2]int{{1, 3}, {4, 6}, {7, 8}}},
		{true, [][2]int{{1, 3}, {4, 5}, {7, 8}}},
	} {
		if got := testPainter(test.log).pieces(c); !slices.Equal(got, test.want) {
			t.Errorf("log %v: pieces %v, want %v", test.log, got, test.want)
		}
	}
}

func TestMissingPointsAreCounted(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	x := []float64{1, 2, 3, -4, 5, 20, 0.05}
	y := []float64{nan, inf, 0, 1, 3, 5, 5}
	var all, lines missing
	w := testPainter(true).window
	all.count(w, []Curve{{X: x, Y: y}, {X: x, Y: y, Style: Reference}})
	if all != (missing{infinite: 1, negative: 2, outside: 2}) {
		t.Errorf("missing %+v", all)
	}
	lines.count(w, []Curve{{X: x, Y: y, Style: Line}})
	if lines.outside != 0 || lines.infinite != 1 {
		t.Errorf("missing of a line %+v", lines)
	}
	var got []string
	for _, e := range all.entries("charts") {
		got = append(got, e.text)
	}
	want := []string{
		"1 point at infinity, not shown", "2 points ≤ 0, not shown on a logarithmic axis",
		"2 points outside the charts",
	}
	if !slices.Equal(got, want) {
		t.Errorf("notes %q, want %q", got, want)
	}
	if len((missing{}).entries("charts")) > 0 {
		t.Error("notes where nothing is missing")
	}
}

// TestTextsKeepApart puts texts at points in a crowd, near the edges and on a
// line.
func TestTextsKeepApart(t *testing.T) {
	c := Curve{
		X:     []float64{1, 1.8, 2.2, 5, 9.9, 9.9, 0.1, 12, math.NaN()},
		Y:     []float64{5, 5.1, 4.2, 5, 9.8, 0.2, 0.1, 5, 5},
		Texts: []string{"probit", "MacKay", "Taylor", "", "corner", "foot", "origin", "far", "none"},
	}
	p := testPainter(false, c)
	notes := p.notes([]Curve{c})
	if len(notes) != 6 {
		t.Fatalf("%d texts, want those of the 6 points within", len(notes))
	}
	for i, n := range notes {
		size := n.box.Size()
		if d := float64(size.X*size.Y) - overlap(n.box, p.area); math.Abs(d) > 1e-9 {
			t.Errorf("text %q sticks out by %g", n.text, d)
		}
		for _, m := range notes[:i] {
			if overlap(n.box, m.box) > 0 {
				t.Errorf("texts %q and %q overlap", n.text, m.text)
			}
		}
		for k := range c.X {
			if p.holds(c.X[k], c.Y[k]) && overlap(n.box, around(p.at(c.X[k], c.Y[k]), curveMarker, curveMarker)) > 0 {
				t.Errorf("text %q covers point %d", n.text, k)
			}
		}
	}
	// A line to the right of its point sends the text elsewhere.
	l := Curve{X: []float64{3, 8}, Y: []float64{5, 5}, Texts: []string{"begin", ""}}
	if b := testPainter(false, l).notes([]Curve{l})[0].box; middle(b).Y == vg.Length(70) {
		t.Errorf("the text is on the line: %v", b)
	}
}
