package figures

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	check "closedform/internal/checktest"
)

// testCharts use every kind, axes from the data and given ones, gaps and intervals.
func testCharts() [][]Chart {
	x, y := []float64{0.01, 0.1, 1, 10, 100}, []float64{1e-4, 1e-3, math.NaN(), 0, 0.2}
	variance, errors := Axis{Label: "variance", Log: true}, Axis{Label: "error", Log: true}
	given := Axis{Label: "$z$", Min: -3, Max: 3}
	return [][]Chart{{
		{Title: "$n$ = 2", X: variance, Y: errors, Curves: []Curve{
			{Name: "probit", X: x, Y: y},
			{Name: "Monte Carlo", X: x, Y: x, Low: y, High: []float64{0.02, 0.2, 2, 20, 200}},
		}},
		{Title: "$n$ = 3", X: variance, Y: errors, Curves: []Curve{{Name: "probit", X: x[:4], Y: y[:4]}}},
	}, {
		{Title: "$Σ_y$", X: given, Y: given, Curves: []Curve{
			{Name: "identity", Kind: Reference, X: []float64{-9, 9}, Y: []float64{-9, 9}},
			{Name: "scores", Kind: Across, X: x, Y: x},
			{Name: "band", Kind: Line, X: x, Y: x},
		}},
	}}
}

func TestMistakes(t *testing.T) {
	for want, x := range map[string]Axis{
		"to +Inf": {Max: math.Inf(1)}, "from 0 to 1": {Log: true, Max: 1}, "from 2 to 1": {Min: 2, Max: 1},
	} {
		check.Panics(t, "figures: ", want, func() { Charts([][]Chart{{{X: x}}}) })
		check.Panics(t, "figures: ", want, func() { Maps([]Row{{Scale: x}}, Labels{}) })
	}
}

// Curves that leave a chart on all sides are cut at its frame.
func TestCurvesStayInside(t *testing.T) {
	far := []float64{-1e6, 1e6, 1e6, -1e6, -1e6, 1e6, 0.502, 0.502}
	y := []float64{1, 1, 0.7, 0.7, 0.353, 0.353, -1e6, 1e200}
	c := Curve{Name: "a", Kind: Line, X: far, Y: y}
	img, ink := decode(Charts([][]Chart{{{X: Axis{Max: 1}, Y: Axis{Max: 2}, Curves: []Curve{c}}}})), colors[0]
	b := img.Bounds()
	lo, hi := b.Max, b.Min
	for y := range b.Dy() - dpi/4 { // above the legend
		for x := range b.Dx() {
			if near(img.At(x, y), ink) {
				lo.X, lo.Y, hi.X, hi.Y = min(lo.X, x), min(lo.Y, y), max(hi.X, x), max(hi.Y, y)
			}
		}
	}
	w, h := float64(hi.X-lo.X), float64(hi.Y-lo.Y)
	check.True(t, 2*dpi <= w && w <= float64(b.Dx()-dpi/10) && math.Abs(h-float64(landscape)*w) <= 6,
		"colour from %v to %v on %v", lo, hi, b)
}

// Where a marker or an end of an interval is outside the frame there is an arrow at its edge, which points
// out; on a logarithmic axis also for ends of 0 or less, whose bar reaches the frame.
func TestArrows(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	log, x := Axis{Min: 0.1, Max: 10, Log: true}, Axis{Max: 9}
	bar := func(low, high float64) Curve {
		return Curve{X: []float64{1}, Y: []float64{1}, Low: []float64{low}, High: []float64{high}}
	}
	foot, top := log.ends()
	across := bar(-1, 3)
	across.Kind = Across
	for _, test := range []struct {
		name string
		c    Curve
		want []plotter.XY
		turn float64
	}{
		{"inside", bar(0.2, 5), nil, 0},
		{"no interval", bar(nan, 50), nil, 0},
		{"an end below 0", bar(-3, 5), []plotter.XY{{X: 1, Y: foot}}, -math.Pi / 2},
		{"an end above", bar(0.2, inf), []plotter.XY{{X: 1, Y: top}}, math.Pi / 2},
		{"both", bar(0, 50), []plotter.XY{{X: 1, Y: foot}, {X: 1, Y: top}}, -math.Pi / 2},
		{"across", across, []plotter.XY{{X: 0, Y: 0}}, math.Pi},
		{"an infinite value", Curve{X: []float64{2}, Y: []float64{inf}}, nil, 0},
		{"to the right", Curve{X: []float64{20}, Y: []float64{1}}, []plotter.XY{{X: 9, Y: 0}}, 0},
		{"no value", Curve{X: []float64{2}, Y: []float64{nan}}, nil, 0},
	} {
		var got []plotter.XY
		_, marks, _ := test.c.marks(x, log, black, map[plotter.XY]int{})
		for i, p := range marks {
			mark := p.(*plotter.Scatter)
			if got = append(got, mark.XYs[0]); i == 0 {
				check.Near(t, test.name+": direction", mark.Shape.(marker).turn, test.turn, 1e-12)
			}
		}
		check.Equal(t, test.name, got, test.want)
	}
	bars, _, _ := bar(0, 5).marks(x, log, black, nil)
	low := bars[0].(*plotter.Line).XYs[0].Y
	check.True(t, low < foot && !math.IsInf(low, 0), "a bar down to 0 ends at %g, the frame at %g", low, foot)
}

// A sign inside the frame in the colour of the curve shows an infinite value, and the legend names it. The
// signs of several curves at one place are beside each other.
func TestInfinite(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	x, y := []float64{1, 2, 3}, []float64{0.5, inf, nan}
	curves := []Curve{
		{Name: "a", X: x, Y: y, Low: []float64{0.4, 0, nan}, High: []float64{0.6, 1, nan}},
		{Name: "b", Kind: Line, X: x, Y: y},
		{Name: "c", Kind: Reference, X: x, Y: y},
		{Name: "d", Kind: Across, X: []float64{-inf, inf}, Y: []float64{1, 0.1}},
	}
	given, stacks, got := Axis{Max: 4}, map[plotter.XY]int{}, []infinity{}
	for _, c := range curves {
		_, _, signs := c.marks(given, given, black, stacks)
		for _, sign := range signs {
			got = append(got, sign.(*plotter.Scatter).Shape.(infinity))
		}
	}
	check.Equal(t, "signs", got, []infinity{{0, 1, 0}, {0, 1, 1}, {-1, 0, 0}, {1, 0, 0}})
	check.Equal(t, "places", stacks, map[plotter.XY]int{{X: 2, Y: 4}: 2, {X: 0, Y: 1}: 1, {X: 4, Y: 0.1}: 1})
	bars, arrows, _ := curves[0].marks(given, given, black, map[plotter.XY]int{})
	check.Equal(t, "intervals and arrows", len(bars)+len(arrows), 1)

	ink := func(y ...float64) (pixels, extent int) { // of the first colour, in the upper third
		chart := Chart{X: given, Y: Axis{Max: 4}, Curves: []Curve{{Name: "a", X: x, Y: y}}}
		img := decode(Charts([][]Chart{{chart}}))
		b, lo, hi := img.Bounds(), img.Bounds().Dx(), 0
		for y := range b.Dy() / 3 {
			for x := range b.Dx() {
				if near(img.At(x, y), colors[0]) {
					pixels, lo, hi = pixels+1, min(lo, x), max(hi, x)
				}
			}
		}
		return pixels, hi - lo
	}
	pixels, extent := ink(0.5, inf, 0.5)
	check.True(t, pixels > 10 && dpi/20 < extent && extent < dpi/5, "%d pixels, %d wide", pixels, extent)
	pixels, _ = ink(0.5, nan, 0.5)
	check.Equal(t, "pixels of a gap", pixels, 0)
	height := func(y float64) vg.Length {
		curves := []Curve{{X: []float64{1}, Y: []float64{y}}}
		return Charts([][]Chart{{{X: given, Y: given, Curves: curves}}}).height
	}
	check.Equal(t, "a legend key", height(inf) > height(1), true)
}

// Names stand in place of ticks, and room is made for all of them, also in a chart without curves.
func TestRows(t *testing.T) {
	y := Rows(slices.Repeat([]string{"name"}, 60))
	check.Equal(t, "ticks", len(y.ticks(5)), 60)
	f := Charts([][]Chart{{{X: Axis{Label: "x", Log: true}, Y: y}}})
	check.Equal(t, "height of 60 rows", f.height > 60*textHeight, true)
	check.Must(f.Encode("pdf"))
}

// No two curves of a figure have one colour and marker, and no two of ten one colour. A group has its colour,
// whatever else is there, unless that is taken.
func TestStyles(t *testing.T) {
	s, used, pairs := styles{known: map[string]style{}}, map[color.NRGBA]bool{}, map[string]bool{}
	for i := range len(colors) * len(shapes) {
		name := fmt.Sprint(i)
		sty := s.style(Curve{Name: name, Group: 3 * (i % 2)})
		if pairs[fmt.Sprint(sty.color, sty.marker)] = true; i < len(colors) {
			used[sty.color] = true
		}
	}
	check.Equal(t, "colours of ten curves", len(used), len(colors))
	check.Equal(t, "colour of the group", s.known["1"].color, colors[2])
	check.Equal(t, "styles of many curves", len(pairs), len(colors)*len(shapes))
}

// The first curve is drawn last, over the others.
func TestFirstOnTop(t *testing.T) {
	line := func(y float64) Curve { return Curve{Kind: Line, X: []float64{1, 2}, Y: []float64{y, y}} }
	s := styles{known: map[string]style{}}
	drawn := s.plotters(Axis{Max: 4}, Axis{Max: 4}, []Curve{line(1), line(2), line(3)})
	check.Equal(t, "height of the line on top", drawn[2].(*plotter.Line).XYs[0].Y, point(Axis{}, Axis{Max: 4}, 0, 1).Y)
}

// The ends of an axis hold the values of all charts that share it, with a margin.
func TestAxesFromData(t *testing.T) {
	x, y := Axis{Label: "x"}, Axis{Label: "y", Log: true}
	one, empty, given := Axis{Label: "one", Log: true}, Axis{Label: "empty"}, Axis{Max: 3}
	scale := Axis{Log: true}.spanning([]float64{2, 1, 0, -1, math.Inf(1)}, 0)
	check.Equal(t, "scale without a margin", scale, Axis{Log: true, Min: 1, Max: 2})
	nan, inf := math.NaN(), math.Inf(1)
	ends := sharedAxes([]Chart{
		{X: x, Y: y, Curves: []Curve{
			{X: []float64{0, 1}, Y: []float64{1e-2, -1}, Low: []float64{1e-3, -2}, High: []float64{1, nan}},
			{X: []float64{-50, 50}, Y: []float64{1e-9, 1e9}, Kind: Reference},
		}},
		{X: x, Y: y, Curves: []Curve{
			{X: []float64{9, 10, inf}, Y: []float64{1, 10, 2}, Low: []float64{1, 1, 1e-9}, High: []float64{2, 2, 1e9}},
		}},
		{X: empty, Y: one, Curves: []Curve{{X: []float64{nan}, Y: []float64{5}}}},
		{X: given, Curves: []Curve{{X: []float64{2, 4}, Y: []float64{2, 4}}}},
	})
	for axis, want := range map[Axis][]float64{
		x: {-0.4, 10.4}, y: {-3.16, 1.16}, one: {0.378855, 0.894146}, empty: {0.46, 1.54}, {}: {1.92, 4.08},
		given: {0, 3},
	} {
		low, high := ends[axis].ends()
		check.NearAll(t, axis.Label, []float64{low, high}, want, 1e-6)
	}
}

func TestTicks(t *testing.T) {
	for _, test := range []struct {
		axis  Axis
		want  []string // the labels
		minor int
	}{
		{Axis{Min: -2, Max: 2}, []string{"−2", "−1", "0", "1", "2"}, 16},
		{Axis{Max: 1}, []string{"0", "0.2", "0.4", "0.6", "0.8", "1"}, 15},
		{Axis{Max: 3e-5}, []string{"0", "1×$10^{−5}$", "2×$10^{−5}$", "3×$10^{−5}$"}, 12},
		{Axis{Log: true, Min: 1e-3, Max: 1}, []string{power(-3), power(-2), power(-1), power(0)}, 24},
		{Axis{Log: true, Min: 0.5, Max: 200}, []string{power(0), power(1), power(2)}, 22},
		{Axis{Log: true, Min: 1e-6, Max: 10}, []string{power(-6), power(-4), power(-2), power(0)}, 4},
		{Axis{Log: true, Min: 1e-40, Max: 1e20}, []string{
			power(-33), power(-22), power(-11), power(0), power(11),
		}, 0},
		{Axis{Log: true, Min: 0.05, Max: 1.5}, []string{"0.05", "0.1", "0.2", "0.5", "1"}, 10},
		{Axis{Log: true, Min: 2, Max: 50}, []string{"2", "5", "10", "20", "50"}, 8},
		{Axis{Log: true, Min: 2, Max: 3}, []string{"2", "2.2", "2.4", "2.6", "2.8", "3"}, 15},
	} {
		var got []string
		ticks := test.axis.ticks(5)
		for _, tick := range ticks {
			if !tick.IsMinor() {
				got = append(got, tick.Label)
			}
		}
		check.Equal(t, fmt.Sprintf("%+v", test.axis), got, test.want)
		check.Equal(t, "minor ticks", len(ticks)-len(got), test.minor)
	}
}
