package figures

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	check "closedform/internal/checktest"
)

// testCharts use every kind, axes from the data and given ones, gaps and intervals.
func testCharts() [][]Chart {
	x := []float64{0.01, 0.1, 1, 10, 100}
	y := []float64{1e-4, 1e-3, math.NaN(), 0, 0.2}
	log := func(label string) Axis { return Axis{Label: label, Log: true} }
	sized := func(label string) Axis { return Axis{Label: label, Min: -3, Max: 3} }
	low, high := []float64{0, 0.05, 0.5, 5, 50}, []float64{0.02, 0.2, 2, 20, 200}
	errors := []float64{1e-5, 1e-3, 1e-2, 1, 1}
	identity := Curve{Name: "identity", Kind: Reference, X: []float64{-9, 9}, Y: []float64{-9, 9}}
	return [][]Chart{{
		{Title: "$n$ = 2", X: log("variance"), Y: log("error"), Curves: []Curve{
			{Name: "probit", X: x, Y: y},
			{Name: "Monte Carlo", X: x, Y: x, Low: low, High: high},
		}},
		{Title: "$n$ = 3", X: log("variance"), Y: log("error"), Curves: []Curve{{Name: "probit", X: x, Y: errors}}},
	}, {
		{Title: "$Σ_y$", X: sized("quantile"), Y: sized("$z$"), Curves: []Curve{
			identity,
			{Name: "scores", Kind: Scatter, X: x, Y: x},
			{Name: "band", Kind: Line, X: x, Y: x, Low: y, High: []float64{1, 2, 3, 4, 5}},
		}},
	}}
}

func TestMistakes(t *testing.T) {
	check.Refuses(t, "format", check.Err(Dots(dotPlot()).Encode("svg")), `"svg"`)
	xy := []float64{1, 2}
	curve := func(c Curve) *Figure { return Charts([][]Chart{{{Curves: []Curve{c}}}}) }
	axis := func(x Axis) *Figure { return Charts([][]Chart{{{X: x}}}) }
	field := func(change func(*Map, *Axis)) *Figure {
		m, s := flagged()
		m.X = slices.Clone(m.X)
		change(&m, &s)
		return Maps([]Row{{s, []Map{m}}}, Labels{})
	}
	dots := func(change func(*DotPlot)) *Figure {
		d := dotPlot()
		change(&d)
		return Dots(d)
	}
	for _, test := range []struct {
		want string
		f    *Figure
	}{
		{"no panels", Charts(nil)},
		{`"a" has 2 numbers and 1`, curve(Curve{Name: "a", X: xy, Y: xy[:1]})},
		{`"b" has 2 numbers and 1`, curve(Curve{Name: "b", X: xy, Y: xy, Low: xy, High: xy[:1]})},
		{"to +Inf", curve(Curve{X: []float64{-1e308, 1e308}, Y: xy})},
		{"axis", axis(Axis{Max: math.NaN()})},
		{"from 0 to 1", axis(Axis{Log: true, Max: 1})},
		{"9 numbers and 8", field(func(m *Map, _ *Axis) { m.Z = m.Z[1:] })},
		{"from NaN to 2", field(func(m *Map, _ *Axis) { m.X[0] = math.NaN() })},
		{"from -2 to 2", field(func(m *Map, _ *Axis) { m.LogY = true })},
		{"from 1 to 1", field(func(_ *Map, s *Axis) { s.Min = 1 })},
		{"from 0 to 0", dots(func(d *DotPlot) { d.X = Axis{} })},
		{`"b" has 4 numbers and 3`, dots(func(d *DotPlot) { d.Panels[1].Dots = d.Panels[1].Dots[1:] })},
	} {
		_, err := test.f.Encode("png")
		check.Refuses(t, "error", err, "figures: ", test.want)
	}
}

// Curves that leave a chart on all sides are cut at its frame.
func TestCurvesStayInside(t *testing.T) {
	far := []float64{-1e6, 0.2, 0.5, 0.8, 1e6}
	nines := func(v float64) []float64 { return slices.Repeat([]float64{v}, 5) }
	y := []float64{0.5, -3, 4, 1e200, 0.5}
	c := Curve{Name: "a", Kind: Line, X: far, Y: y, Low: nines(-9), High: nines(1e300)}
	img, ink := decode(Charts([][]Chart{{{X: Axis{Max: 1}, Y: Axis{Max: 2}, Curves: []Curve{c}}}})), colors[0]
	b := img.Bounds()
	lo, hi := b.Max, b.Min
	for y := range b.Dy() - dpi/4 { // above the legend
		for x := range b.Dx() {
			if near(img.At(x, y), ink) || near(img.At(x, y), tint(ink)) {
				lo.X, lo.Y, hi.X, hi.Y = min(lo.X, x), min(lo.Y, y), max(hi.X, x), max(hi.Y, y)
			}
		}
	}
	w, h := float64(hi.X-lo.X), float64(hi.Y-lo.Y)
	if w < 2*dpi || w > float64(b.Dx()-dpi/10) || math.Abs(h-float64(landscape)*w) > 6 {
		t.Errorf("colour from %v to %v on %v", lo, hi, b)
	}
}

// A chart without curves, as of a column without numbers, is drawn.
func TestSplit(t *testing.T) {
	empty := Chart{X: Axis{Label: "x", Log: true}, Y: Axis{Label: "y", Log: true, Min: 1, Max: 2}}
	check.Must(Charts([][]Chart{empty.Split(5)}).Encode("pdf"))
	reference := Curve{Name: "reference", Kind: Reference}
	parts := Chart{Curves: []Curve{{Name: "a"}, reference, {Name: "b"}, {Name: "c"}}}.Split(2)
	var names []string
	for _, c := range slices.Concat(parts[0].Curves, parts[1].Curves) {
		names = append(names, c.Name)
	}
	check.Equal(t, "curves", names, []string{"reference", "a", "b", "reference", "c"})
}

// The legend counts points that a chart cannot show.
func TestHiddenPointsAreCounted(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	c := Curve{X: []float64{1, 2, 3, -4, 5, 20, 0.05}, Y: []float64{nan, inf, 0, 1, 3, 5, 5}}
	log := Axis{Min: 0.1, Max: 10, Log: true}
	check.Equal(t, "hidden points", c.hidden(log, log), 5)
	c.Kind = Reference
	check.Equal(t, "hidden points of a reference", c.hidden(log, log), 0)
	name := strings.Repeat("a legend of one column ", 6)
	height := func(y float64) vg.Length {
		curve := Curve{Name: name, X: []float64{1, 2, 3}, Y: []float64{1, 2, y}}
		return Charts([][]Chart{{{Curves: []Curve{curve}}}}).height
	}
	check.Equal(t, "lines of the legend for a hidden point", height(inf)-height(nan), legendLine)
}
