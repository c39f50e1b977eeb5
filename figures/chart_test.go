package figures

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/plot"
)

// testCharts use every kind, axes from the data and given ones, linear and
// logarithmic ones, gaps and intervals.
func testCharts() [][]Chart {
	x := []float64{0.01, 0.1, 1, 10, 100}
	y := []float64{1e-4, 1e-3, math.NaN(), 0, 0.2}
	log := func(label string) Axis { return Axis{Label: label, Log: true} }
	identity := Curve{Name: "identity", Kind: Reference, X: []float64{-9, 9}, Y: []float64{-9, 9}}
	return [][]Chart{{
		{Title: "$n$ = 2", X: log("variance"), Y: log("error"), Curves: []Curve{
			{Name: "probit", X: x, Y: y},
			{Name: "Monte Carlo", X: x, Y: x, Low: []float64{0, 0.05, 0.5, 5, 50}, High: []float64{0.02, 0.2, 2, 20, 200}},
		}},
		{Title: "$n$ = 3", X: log("variance"), Y: log("error"), Curves: []Curve{{Name: "probit", X: x, Y: []float64{1e-5, 1e-3, 1e-2, 1, 1}}}},
	}, {
		{Title: "$Σ_y$", X: Axis{Label: "quantile", Min: -3, Max: 3}, Y: Axis{Label: "$z$", Min: -3, Max: 3}, Curves: []Curve{
			identity,
			{Name: "scores", Kind: Scatter, X: x, Y: x},
			{Name: "band", Kind: Line, X: x, Y: x, Low: y, High: []float64{1, 2, 3, 4, 5}},
		}},
	}}
}

func texts(keys []key) (out []string) {
	for _, k := range keys {
		out = append(out, k.text)
	}
	return out
}

func TestMistakes(t *testing.T) {
	xy := []float64{1, 2}
	curve := func(c Curve) func() { return func() { Charts([][]Chart{{{Curves: []Curve{c}}}}) } }
	axis := func(x Axis) func() { return func() { Charts([][]Chart{{{X: x}}}) } }
	field := func(change func(*Map, *Axis)) func() {
		m, s := flagged()
		m.X = slices.Clone(m.X)
		change(&m, &s)
		return func() { Maps([]Row{{s, []Map{m}}}, Labels{}) }
	}
	dots := func(change func(*DotPlot)) func() {
		d := dotPlot()
		change(&d)
		return func() { Dots(d) }
	}
	for _, test := range []struct {
		want string
		f    func()
	}{
		{"2 X, 1 Y", curve(Curve{X: xy, Y: xy[:1]})},
		{"2 Low, 0 High", curve(Curve{X: xy, Y: xy, Low: xy})},
		{"1 Low, 1 High", curve(Curve{X: xy, Y: xy, Low: xy[:1], High: xy[:1]})},
		{"interval 0 from 3 to 1", curve(Curve{X: xy, Y: xy, Low: []float64{3, 2}, High: xy})},
		{"kind 3", curve(Curve{Kind: Reference, X: xy, Y: xy, Low: xy, High: xy})},
		{"from -Inf to +Inf", curve(Curve{X: []float64{-1e308, 1e308}, Y: xy})},
		{"from 2 to 1", axis(Axis{Min: 2, Max: 1})},
		{"to NaN", axis(Axis{Max: math.NaN()})},
		{"from 0 to 1", axis(Axis{Log: true, Max: 1})},
		{"8 values", field(func(m *Map, _ *Axis) { m.Z = m.Z[1:] })},
		{"needs 2", field(func(m *Map, _ *Axis) { m.X, m.Z = m.X[:1], m.Z[:3] })},
		{"ascend", field(func(m *Map, _ *Axis) { m.X[1] = m.X[0] })},
		{"ascend", field(func(m *Map, _ *Axis) { m.X[0] = math.NaN() })},
		{"from -2 to +Inf", field(func(m *Map, _ *Axis) { m.X[2] = math.Inf(1) })},
		{"from -2 to 2", field(func(m *Map, _ *Axis) { m.LogX = true })},
		{"1 X, 0 Y", field(func(m *Map, _ *Axis) { m.Curves = []Curve{{X: xy[:1]}} })},
		{"from 1 to 1", field(func(_ *Map, s *Axis) { s.Min = 1 })},
		{"from 0 to 0", dots(func(d *DotPlot) { d.X = Axis{} })},
		{"0 names", dots(func(d *DotPlot) { d.Names = nil })},
		{"3 dots", dots(func(d *DotPlot) { d.Panels[1].Dots = d.Panels[1].Dots[1:] })},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "figures: ") || !strings.Contains(got, test.want) {
					t.Errorf("panic %q, want one with %q", got, test.want)
				}
			}()
			test.f()
		}()
	}
}

func TestAxesFromData(t *testing.T) {
	const margin = 0.04
	log := func(label string) Axis { return Axis{Label: label, Log: true} }
	a := Chart{X: Axis{Label: "x"}, Y: log("y"), Curves: []Curve{
		{X: []float64{0, 1}, Y: []float64{1e-2, -1}, Low: []float64{1e-3, -2}, High: []float64{1, math.NaN()}},
		{X: []float64{-50, 50}, Y: []float64{1e-9, 1e9}, Kind: Reference},
	}}
	b := Chart{X: Axis{Label: "x"}, Y: log("y"), Curves: []Curve{{X: []float64{9, 10, math.Inf(1)}, Y: []float64{1, 10, 2}}}}
	other := Chart{X: Axis{Label: "other"}, Y: log("other"), Curves: []Curve{{X: []float64{7, 7}, Y: []float64{5, 5}}}}
	zero := Chart{Curves: []Curve{{X: []float64{0}, Y: []float64{math.NaN()}}}}
	only := Chart{Curves: []Curve{{X: []float64{2, 4}, Y: []float64{2, 4}, Kind: Reference}}}
	for _, test := range []struct {
		name         string
		got          Axis
		lo, hi, grow float64 // the ends without a margin, and whether there is one
	}{
		{"column", endsX([][]Chart{{a, b}, {other}, {b, a}}, 0, a.X), 0, 10, 1},
		{"column alone", endsX([][]Chart{{a, b}, {other}}, 0, a.X), 0, 1, 1},
		{"other label", endsX([][]Chart{{a, b}, {other}}, 0, other.X), 3.5, 10.5, 1},
		{"row", endsY([]Chart{a, b, other}, a.Y), 1e-3, 10, 1},
		{"row alone", endsY([]Chart{a, other}, a.Y), 1e-3, 1, 1},
		{"one value", endsY([]Chart{a, other}, other.Y), 2.5, 10, 1},
		{"zero", endsX([][]Chart{{zero}}, 0, zero.X), -1, 1, 1},
		{"nothing", endsY([]Chart{zero}, zero.Y), -1, 1, 1},
		{"references only", endsY([]Chart{only}, only.Y), 2, 4, 1},
		{"given", endsX([][]Chart{{a}}, 0, Axis{Min: 0, Max: 3}), 0, 3, 0},
	} {
		lo, hi := test.got.at(test.lo), test.got.at(test.hi)
		by := test.grow * margin * (hi - lo)
		if a := test.got; !scalar.EqualWithinAbs(a.at(a.Min), lo-by, 1e-12) || !scalar.EqualWithinAbs(a.at(a.Max), hi+by, 1e-12) {
			t.Errorf("%s: %+v, want %g and %g", test.name, a, lo-by, hi+by)
		}
	}
}

func labels(ticks []plot.Tick) (out []string) {
	for _, t := range ticks {
		if !t.IsMinor() {
			out = append(out, t.Label)
		}
	}
	return out
}

func TestTicks(t *testing.T) {
	for _, test := range []struct {
		axis  Axis
		want  []string // the labels
		minor int
	}{
		{Axis{Min: -2, Max: 2}, []string{"−2", "−1", "0", "1", "2"}, 16},
		{Axis{Max: 1}, []string{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}, 15},
		{Axis{Max: 0.25}, []string{"0", "0.05", "0.10", "0.15", "0.20", "0.25"}, 20},
		{Axis{Min: -0.01, Max: 0.31}, []string{"0", "0.1", "0.2", "0.3"}, 12},
		{Axis{Max: 3e-5}, []string{"0", "1×10⁻⁵", "2×10⁻⁵", "3×10⁻⁵"}, 12},
		{Axis{Max: 2e6}, []string{"0", "0.5×10⁶", "1.0×10⁶", "1.5×10⁶", "2.0×10⁶"}, 16},
		{Axis{Min: -1e-3}, []string{"−0.0010", "−0.0008", "−0.0006", "−0.0004", "−0.0002", "0"}, 15},
		{Axis{Log: true, Min: 1e-3, Max: 1}, []string{"10⁻³", "10⁻²", "10⁻¹", "10⁰"}, 24},
		{Axis{Log: true, Min: 1.5e-4, Max: 0.04}, []string{"0.0002", "0.0005", "0.001", "0.002", "0.005", "0.01", "0.02"}, 14},
		{Axis{Log: true, Min: 0.5, Max: 200}, []string{"10⁰", "10¹", "10²"}, 22},
		{Axis{Log: true, Min: 1e-6, Max: 10}, []string{"10⁻⁶", "10⁻⁴", "10⁻²", "10⁰"}, 4},
		{Axis{Log: true, Min: 1e-40, Max: 1e20}, []string{"10⁻³³", "10⁻²²", "10⁻¹¹", "10⁰", "10¹¹"}, 0},
		{Axis{Log: true, Min: 0.05, Max: 1.5}, []string{"0.05", "0.1", "0.2", "0.5", "1"}, 10},
		{Axis{Log: true, Min: 2, Max: 50}, []string{"2", "5", "10", "20", "50"}, 8},
		{Axis{Log: true, Min: 1e-6, Max: 2e-5}, []string{"1×10⁻⁶", "2×10⁻⁶", "5×10⁻⁶", "1×10⁻⁵", "2×10⁻⁵"}, 6},
		{Axis{Log: true, Min: 2, Max: 3}, []string{"2.0", "2.2", "2.4", "2.6", "2.8", "3.0"}, 15},
	} {
		ticks := test.axis.ticks(tickCount)
		if got := labels(ticks); !slices.Equal(got, test.want) || len(ticks)-len(got) != test.minor {
			t.Errorf("%+v: ticks %q and %d minor, want %q and %d", test.axis, got, len(ticks)-len(got), test.want, test.minor)
		}
	}
}

// Every range gets a readable number of ticks within it, with different labels that
// keep apart along the axis.
func FuzzTicks(f *testing.F) {
	f.Add(0.05, 1.5, true)
	f.Add(1e-300, 1e300, true)
	f.Add(9.9, 10.1, true)
	f.Add(5e-324, 1.0, true)
	f.Add(-1234.0, 56789.0, false)
	f.Add(0.0, 1e-4, false)
	f.Fuzz(func(t *testing.T, lo, hi float64, log bool) {
		a := Axis{Log: log, Min: lo, Max: hi}
		if !(hi-lo > 1e-3*max(math.Abs(lo), math.Abs(hi))) || math.IsInf(hi-lo, 0) || math.IsNaN(hi-lo) || log && !(lo > 0) || !log && hi-lo < 1e-290 {
			t.Skip()
		}
		length := a.at(hi) - a.at(lo)
		for _, tick := range a.ticks(tickCount) {
			if !(tick.Value >= a.at(lo)-1e-6*length && tick.Value <= a.at(hi)+1e-6*length) {
				t.Errorf("%+v: tick at %g", a, tick.Value)
			}
		}
		got := labels(a.ticks(tickCount))
		if n := len(slices.Compact(slices.Clone(got))); n != len(got) || n < 2 || n > 8 {
			t.Errorf("%+v: labels %q", a, got)
		}
		end := math.Inf(-1)
		for _, tick := range a.fitting(150) {
			if tick.IsMinor() {
				continue
			}
			x, half := 150*(tick.Value-a.at(lo))/length, float64(letters(textSize, 0, 0).Width(tick.Label))/2
			if x-half < end+3.9 {
				t.Errorf("%+v: label %q begins at %.1f, the one before it ends at %.1f", a, tick.Label, x-half, end)
			}
			end = x + half
		}
	})
}

func TestPieces(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	c := Curve{X: []float64{1, 2, 3, 4, 5, 6, 7, 8}, Y: []float64{nan, 1, 2, inf, 3, 0, nan, 5}}
	c.Low, c.High = []float64{0, 0, 1, 0, nan, 0, 0, 4}, []float64{9, 2, 3, 9, 9, 0, 9, 6}
	for _, test := range []struct {
		y    Axis
		c    Curve
		want string // where the pieces are
	}{
		{Axis{Max: 10}, c, "2 3 | 5 6 | 8 | "},
		{Axis{Max: 10}, c.covered(), "2 3 | 6 | 8 | "},
		{Axis{Min: 0.1, Max: 10, Log: true}, c, "2 3 | 5 | 8 | "},
		{Axis{Min: 0.1, Max: 10, Log: true}, c.covered(), "2 3 | 8 | "},
	} {
		got := ""
		for _, p := range test.c.pieces(Axis{Max: 10}, test.y) {
			for _, at := range p.at {
				got += fmt.Sprint(at.X, " ")
			}
			got += "| "
		}
		if got != test.want {
			t.Errorf("log %v: pieces %q, want %q", test.y.Log, got, test.want)
		}
	}
	// On a logarithmic axis, an interval from 0 reaches below the foot.
	log := Axis{Min: 0.1, Max: 10, Log: true}
	p := c.pieces(Axis{Max: 10}, log)[0]
	if p.at[0].Y-p.ends[0].Low > log.at(0.1)-0.5 || !scalar.EqualWithinAbs(p.at[1].Y-p.ends[1].Low, 0, 1e-12) {
		t.Errorf("intervals %+v", p.ends)
	}
}

func TestHiddenPointsAreCounted(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	x, y := []float64{1, 2, 3, -4, 5, 20, 0.05}, []float64{nan, inf, 0, 1, 3, 5, 5}
	log := Axis{Min: 0.1, Max: 10, Log: true}
	var all hidden
	all.count(log, log, []Curve{{X: x, Y: y}, {X: x, Y: y, Kind: Reference}})
	want := []string{"1 point at infinity, not shown", "2 points ≤ 0, not shown on a logarithmic axis", "2 points outside the charts"}
	if got := texts(all.notes("charts")); !slices.Equal(got, want) {
		t.Errorf("notes %q, want %q", got, want)
	}
	var lines hidden
	lines.count(log, log, []Curve{{X: x, Y: y, Kind: Line}})
	if lines != (hidden{infinite: 1, negative: 2}) {
		t.Errorf("hidden of a line %+v", lines)
	}
}

// Neighbours share the text of an axis and a title, and stacked Y labels stand in
// one line.
func TestSharedText(t *testing.T) {
	x, wide := Axis{Label: "x", Max: 1}, Axis{Label: "x", Max: 99999}
	var p page
	for _, r := range [][][2]Axis{{{x, x}, {x, x}, {x, wide}}, {{x, wide}, {wide, wide}, {x, wide}}, {{x, x}}} {
		var row []panel
		for _, a := range r {
			row = append(row, panel{title: "t", x: a[0], y: a[1]})
		}
		p.rows = append(p.rows, row)
	}
	plots := p.plots()
	var bare []bool
	for i, r := range p.rows {
		for j := range r {
			bare = append(bare, plots[i][j].X.Label.Text == "", plots[i][j].Y.Label.Text == "")
		}
	}
	if want := []bool{true, false, false, true, true, false, true, false, false, true, false, true, false, false}; !slices.Equal(bare, want) {
		t.Errorf("bare x and y %v, want %v", bare, want)
	}
	a, b := plots[0][0].Y, plots[1][0].Y
	if got, want := a.Label.Padding+labelWidth(a), b.Label.Padding+labelWidth(b); !scalar.EqualWithinAbs(float64(got), float64(want), 1e-9) {
		t.Errorf("labels %g and %g from the axis", got, want)
	}
	square, flat := Charts([][]Chart{{{X: x, Y: x}}}), Charts([][]Chart{{{X: x, Y: wide}}})
	if square.height-flat.height < 20 {
		t.Errorf("heights %v and %v: charts of one range are squares", square.height, flat.height)
	}
}

// Curves that leave a chart on all sides are cut at its frame.
func TestCurvesStayInside(t *testing.T) {
	far := []float64{-1e6, 0.2, 0.5, 0.8, 1e6}
	nines := func(v float64) []float64 { return slices.Repeat([]float64{v}, 5) }
	c := Curve{Name: "adf", Kind: Line, X: far, Y: []float64{0.5, -3, 4, 1e200, 0.5}, Low: nines(-9), High: []float64{9, 9, 9, 1e300, 9}}
	img := decode(t, Charts([][]Chart{{{X: Axis{Max: 1}, Y: Axis{Max: 2}, Curves: []Curve{c}}}}))
	b := img.Bounds()
	ink := StyleOf("adf").Color
	lo, hi := b.Max, b.Min
	for y := range b.Dy() - dpi/4 { // above the legend
		for x := range b.Dx() {
			if at := color.NRGBAModel.Convert(img.At(x, y)); at == ink || at == tint(ink) {
				lo.X, lo.Y, hi.X, hi.Y = min(lo.X, x), min(lo.Y, y), max(hi.X, x), max(hi.Y, y)
			}
		}
	}
	if w, h := hi.X-lo.X, hi.Y-lo.Y; w < 2*dpi || w > b.Dx()-dpi/10 || math.Abs(float64(h)-float64(landscape)*float64(w)) > 6 {
		t.Errorf("colour from %v to %v on %v", lo, hi, b)
	}
}

func TestStyleOf(t *testing.T) {
	if a, b := StyleOf("adf_exact: not given"), StyleOf("adf-exact"); a.Color != b.Color || a.Marker != b.Marker {
		t.Errorf("styles %v and %v of one method", a, b)
	}
	marked := map[string]Style{} // of methods that lines with markers show together, which have no dashes
	for _, name := range []string{"joint", "joint_slope", "joint_slope_skip", "joint_slope_project", "joint_slope_fail"} {
		s := StyleOf(name)
		for of, other := range marked {
			if other.Color == s.Color && other.Marker == s.Marker {
				t.Errorf("%s and %s have one colour and marker", name, of)
			}
		}
		marked[name] = s
	}
	seen := map[string]string{}
	for _, family := range wellKnown {
		for _, line := range family {
			name := strings.Fields(line)[0]
			s := StyleOf(name)
			look := fmt.Sprint(s.Color, s.Marker, s.Dashes)
			if other, ok := seen[look]; ok {
				t.Errorf("%s and %s have one style", name, other)
			}
			seen[look] = name
		}
	}
	// Whoever else is in the figure, a well-known method keeps its style; the others
	// keep apart from all before them.
	var curves []Curve
	for i := range 30 {
		curves = append(curves, Curve{Name: fmt.Sprint("new ", i)})
	}
	s := stylesOf(append(curves, Curve{Name: "adf"}))
	if got := s.of["adf"]; got.Color != StyleOf("adf").Color || got.Marker != StyleOf("adf").Marker {
		t.Errorf("style %v", got)
	}
	pairs := map[string]bool{}
	for i := range 30 {
		style := s.of[fmt.Sprint("new ", i)]
		pairs[fmt.Sprint(style.Color, style.Marker)] = true
	}
	if len(pairs) != 30 {
		t.Errorf("%d styles of 30 names", len(pairs))
	}
}

func TestWords(t *testing.T) {
	for name, want := range map[string]string{
		"adf_exact": "ADF, exact", "adf-exact: 3 seeds": "ADF, exact: 3 seeds", "smooth": "ADF, smoothing", "my_own-rule": "my own rule",
		"$p_1$, slope-matched": "$p_1$, slope-matched", "monte-carlo": "Monte Carlo",
		"my-rule lambda=1e-3": "my-rule lambda=1e-3",
	} {
		if got := Words(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	chart := Chart{Curves: []Curve{{Name: "adf_exact"}, {Name: "true_rate", Kind: Reference}}}
	if got := texts(stylesOf(chart.Curves).keys()); !slices.Equal(got, []string{"ADF, exact", "true_rate"}) {
		t.Errorf("legend %q", got)
	}
}

func TestSplit(t *testing.T) {
	curves := func(names ...string) (out []Curve) {
		for _, name := range names {
			out = append(out, Curve{Name: name})
			if name == "r" {
				out[len(out)-1].Kind = Reference
			}
		}
		return out
	}
	var got [][]string
	for _, c := range (Chart{Title: "t", Curves: curves("a", "b", "r", "c")}).Split(2) {
		var names []string
		for _, curve := range c.Curves {
			names = append(names, curve.Name)
		}
		got = append(got, append(names, c.Title))
	}
	if fmt.Sprint(got) != "[[r a b t] [r c t]]" {
		t.Errorf("split into %v", got)
	}
}

// Curves beside each other keep their middle, the order and the ratios of their points.
func TestBeside(t *testing.T) {
	x := []float64{1, 10}
	got := Beside([]Curve{{X: x}, {X: x, Kind: Reference}, {X: x}, {X: x}})
	for i, c := range got {
		if !scalar.EqualWithinRel(c.X[1], 10*c.X[0], 1e-12) || x[0] != 1 {
			t.Errorf("curve %d at %v, was at %v", i, c.X, x)
		}
	}
	if a, b, c := got[0].X[0], got[2].X[0], got[3].X[0]; !(a < b && b < c) || !scalar.EqualWithinRel(a*c, 1, 1e-12) || got[1].X[0] != 1 {
		t.Errorf("beside each other at %g, %g and %g, reference at %g", a, b, c, got[1].X[0])
	}
}

// A page is not higher than paper, whatever it has to show.
func TestHeight(t *testing.T) {
	rows := make([][]Chart, 5)
	for i := range rows {
		rows[i] = []Chart{{X: Axis{Max: 1}, Y: Axis{Max: 2}}}
	}
	if h := Charts(rows).height; math.Abs(float64(h-pageHeight)) > 0.1 {
		t.Errorf("a page of %g points, want %g", h, pageHeight)
	}
}

// Full protanopia, deuteranopia and tritanopia are simulated in linear RGB (G. Machado,
// M. Oliveira and L. Fernandes, 2009): the colours differ visibly in CIE Lab.
func TestColorsForColourBlind(t *testing.T) {
	for name, m := range map[string][3][3]float64{
		"normal":       {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
		"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
		"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
	} {
		for i, a := range colors {
			for j, b := range append(colors[:i:i], white) {
				p, q := lab(a, m), lab(b, m)
				if d := math.Hypot(math.Hypot(p[0]-q[0], p[1]-q[1]), p[2]-q[2]); !(d > 8) {
					t.Errorf("%s: colours %d and %d are %.1f apart", name, i, j, d)
				}
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

// Small charts have the axes of all curves.
func TestMultiples(t *testing.T) {
	charts := []Chart{
		{X: Axis{Label: "x"}, Y: Axis{Label: "y", Log: true}, Curves: []Curve{{X: []float64{1, 2}, Y: []float64{1, 10}}}},
		{Title: "b", X: Axis{Label: "x"}, Y: Axis{Label: "y", Log: true}, Curves: []Curve{{X: []float64{3, 4}, Y: []float64{5, 100}}}},
	}
	x, y := Axis{Label: "x", Min: 0.88, Max: 4.12}, Axis{Label: "y", Log: true, Min: math.Pow(10, -0.08), Max: math.Pow(10, 2.08)}
	same := slices.Clone(charts)
	for i := range same {
		same[i].X, same[i].Y = x, y
	}
	if !bytes.Equal(encode(t, Multiples(charts, 1), "svg"), encode(t, Charts([][]Chart{same[:1], same[1:]}), "svg")) {
		t.Error("other charts than those on the axes of all curves")
	}
}
