package figures

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// Chart is a panel of curves.
type Chart struct {
	Title  string
	X, Y   Axis
	Curves []Curve
}

// Curve is a named set of points of a chart or a map, in the order of a line. A point with a coordinate that
// the axis cannot show is a gap. Arrows stand for markers and ends of intervals that lie outside. The
// sign ∞ at the frame stands for an infinite value, which has no interval.
type Curve struct {
	Name  string // entry in the legend, if any; curves of one name have one style
	Group int    // number of a colour, from 1: the first curve of a group has it in all figures; 0: any colour
	Kind  Kind
	X, Y  []float64
	// Low and High, if given, are the ends of an interval about each Y. Without one of them there is none.
	Low, High []float64
}

// Kind is how a curve is drawn.
type Kind int

const (
	Marked Kind = iota // a line with markers
	Line               // a line alone
	Across             // markers alone, with intervals about each X
	// Reference is a thin grey line beneath the curves of a chart, which does not widen its axes, and the
	// class boundary on a map.
	Reference
)

const (
	curveWidth = vg.Length(1)
	thinWidth  = vg.Length(0.7)
)

// Charts draws rows of charts, and notes beneath. The charts must not change until the last Encode.
func Charts(rows [][]Chart, notes ...string) *Figure {
	out, axes := page{labels: notes}, sharedAxes(slices.Concat(rows...))
	styles := styles{known: map[string]style{}}
	for _, row := range rows {
		var panels []panel
		for _, c := range row {
			x, y := axes[c.X], axes[c.Y]
			panels = append(panels, panel{c.Title, x, y, styles.plotters(x, y, c.Curves)})
		}
		out.rows = append(out.rows, panels)
	}
	out.keys = styles.keys
	bar := marker{corners: 2, turn: math.Pi / 2, outer: 1.6, outline: black}
	out.explain(styles.intervals, "95 % interval", scatter(bar, white))
	out.explain(styles.arrows, "beyond the axis", scatter(arrow(1, 0, black), white))
	out.explain(styles.infinite, "infinite", scatter(infinity{}, black))
	return out.figure()
}

func sharedAxes(charts []Chart) map[Axis]Axis {
	values, out := map[Axis][]float64{}, map[Axis]Axis{}
	for _, chart := range charts {
		x, y := chart.X, chart.Y
		out[x], out[y] = x, y
		for _, c := range chart.Curves {
			if c.Kind == Reference {
				continue
			}
			for i := range c.X {
				for _, p := range append(c.interval(i), plotter.XY{X: c.X[i], Y: c.Y[i]}) {
					values[x], values[y] = append(values[x], p.X), append(values[y], p.Y)
				}
			}
		}
	}
	for a := range out {
		out[a] = a.spanning(values[a], 0.04)
	}
	return out
}

// plotters returns the plotters of curves in layers, so that no line covers a marker. In each layer the first
// curve is on top.
func (s *styles) plotters(x, y Axis, curves []Curve) []plot.Plotter {
	var references, lines, bars, points []plot.Plotter
	stacks := map[plotter.XY]int{}
	for _, c := range curves {
		sty := s.style(c)
		for _, p := range c.pieces(x, y) {
			path := &plotter.Line{XYs: p, LineStyle: sty.line}
			if c.Kind == Reference {
				references = append(references, path)
			} else {
				lines = append(lines, path)
			}
			if c.hasMarkers() || c.Kind == Line && len(p) == 1 { // a point between two gaps
				points = append(points, scatter(sty.marker, sty.color, p...))
			}
		}
		intervals, arrows, signs := c.marks(x, y, sty.color, stacks)
		bars, points = append(bars, intervals...), slices.Concat(points, arrows, signs)
		s.intervals, s.arrows = s.intervals || intervals != nil, s.arrows || arrows != nil
		s.infinite = s.infinite || signs != nil
	}
	for _, layer := range [][]plot.Plotter{lines, bars, points} {
		slices.Reverse(layer)
	}
	return slices.Concat(references, lines, bars, points)
}

func (c Curve) hasMarkers() bool { return c.Kind == Marked || c.Kind == Across }

func (c Curve) infinite(i int) bool { return math.IsInf(c.X[i], 0) || math.IsInf(c.Y[i], 0) }

// marks returns intervals, arrows at the frame for points and ends that lie outside, and a sign at the frame for
// each infinite value. Signs at one place, which stacks counts, are put beside each other.
func (c Curve) marks(x, y Axis, color color.Color, stacks map[plotter.XY]int) (bars, arrows, signs []plot.Plotter) {
	for i := range c.X {
		ends := c.interval(i)
		if ends != nil && c.hasMarkers() {
			bar := plotter.XYs{point(x, y, ends[0].X, ends[0].Y), point(x, y, ends[1].X, ends[1].Y)}
			bars = append(bars, &plotter.Line{XYs: bar, LineStyle: line(thinWidth, color)})
		}
		for _, p := range append(ends, plotter.XY{X: c.X[i], Y: c.Y[i]}) {
			dx, px := x.side(p.X)
			dy, py := y.side(p.Y)
			place := plotter.XY{X: px, Y: py}
			switch {
			case math.IsNaN(p.X) || math.IsNaN(p.Y) || c.Kind == Reference:
			case c.infinite(i):
				signs = append(signs, scatter(infinity{dx, dy, stacks[place]}, color, place))
				stacks[place]++
			case c.hasMarkers() && (dx != 0 || dy != 0):
				arrows = append(arrows, scatter(arrow(dx, dy, color), white, place))
			}
		}
	}
	return bars, arrows, signs
}

func (c Curve) interval(i int) []plotter.XY {
	switch {
	case len(c.Low) == 0 || math.IsNaN(c.Low[i]) || math.IsNaN(c.High[i]) || c.infinite(i):
		return nil
	case c.Kind == Across:
		return []plotter.XY{{X: c.Low[i], Y: c.Y[i]}, {X: c.High[i], Y: c.Y[i]}}
	}
	return []plotter.XY{{X: c.X[i], Y: c.Low[i]}, {X: c.X[i], Y: c.High[i]}}
}

// pieces returns the parts of a curve that no gap divides, in coordinates.
func (c Curve) pieces(x, y Axis) (out []plotter.XYs) {
	gap := true
	for i := range c.X {
		if !x.shows(c.X[i]) || !y.shows(c.Y[i]) {
			gap = true
			continue
		}
		if gap {
			out, gap = append(out, nil), false
		}
		last := &out[len(out)-1]
		*last = append(*last, point(x, y, c.X[i], c.Y[i]))
	}
	return out
}

func point(x, y Axis, vx, vy float64) plotter.XY { return plotter.XY{X: x.near(vx), Y: y.near(vy)} }
