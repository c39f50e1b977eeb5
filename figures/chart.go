package figures

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Chart is a panel of curves.
type Chart struct {
	Title  string
	X, Y   Axis
	Curves []Curve
}

// Curve is a named set of points of a chart or a map, in the order in which a line joins them. A point with
// a coordinate that the axis cannot show is a gap. Where a marker or an end of an interval is outside the
// frame there is an arrow.
type Curve struct {
	Name  string // entry in the legend, if any; curves of one name have one style
	Group int    // a colour, from 1, which the first curve of the group has in all figures; 0: any
	Kind  Kind
	X, Y  []float64
	// Low and High, if given, are the ends of an interval about each Y, error bars of the markers. With Across
	// they are about each X. Without one of them there is no interval.
	Low, High []float64
	Across    bool
}

// Kind is how a curve is drawn.
type Kind int

const (
	Marked  Kind = iota // a line with markers
	Line                // a line alone
	Scatter             // markers alone
	// Reference is a thin grey line beneath the curves of a chart, which does not widen its axes, and the
	// class boundary on a map.
	Reference
)

const (
	curveWidth = vg.Length(1)
	thinWidth  = vg.Length(0.7)
	capWidth   = vg.Length(2.6) // of an error bar: an empty one is hidden by a marker
)

// Charts draws rows of charts on one page, and notes beneath them. Charts are square if every chart has the
// same X and Y axis, as in a Q–Q plot. The charts must not change until the last Encode.
func Charts(rows [][]Chart, notes ...string) *Figure {
	out, axes := page{labels: notes}, sharedAxes(slices.Concat(rows...))
	styles := styles{of: map[string]style{}}
	for _, row := range rows {
		var panels []panel
		for _, c := range row {
			x, y := axes[c.X], axes[c.Y]
			styles.add(c.Curves...)
			panels = append(panels, panel{c.Title, x, y, styles.plotters(x, y, c.Curves)})
		}
		out.rows = append(out.rows, panels)
	}
	for _, c := range styles.named {
		if c.Name != "" {
			out.keys = append(out.keys, key{c.Name, styles.thumbs(c)})
		}
	}
	if styles.cut {
		out.keys = append(out.keys, markerKey("beyond the axis", arrow(1, 0), black))
	}
	return out.figure()
}

// sharedAxes returns the axes of charts with ends about the values of curves other than references.
func sharedAxes(charts []Chart) map[Axis]Axis {
	values, out := map[Axis][]float64{}, map[Axis]Axis{}
	for _, chart := range charts {
		x, y := chart.X, chart.Y
		out[x], out[y] = x, y
		for _, c := range chart.Curves {
			if c.Kind != Reference {
				ends := y
				if c.Across {
					ends = x
				}
				values[x] = append(values[x], c.X...)
				values[y] = append(values[y], c.Y...)
				values[ends] = slices.Concat(values[ends], c.Low, c.High)
			}
		}
	}
	for a := range out {
		if out[a] = a.Spanning(values[a]); out[a] != a {
			out[a] = out[a].widened()
		}
	}
	return out
}

func (c Curve) hasMarkers() bool { return c.Kind == Marked || c.Kind == Scatter }

// line returns the style of the line of a curve, which has no dashes between markers.
func (s *styles) line(c Curve) draw.LineStyle {
	out := line(curveWidth, s.of[c.Name].color)
	if c.Kind != Marked {
		out.Dashes = s.of[c.Name].dashes
	}
	if c.Kind == Reference {
		out.Width = thinWidth
	}
	return out
}

// glyph returns the marker of a curve.
func (s *styles) glyph(c Curve) draw.GlyphStyle {
	return shapes[s.of[c.Name].marker].glyph(s.of[c.Name].color)
}

// thumbs returns the pictures of a curve in the legend.
func (s *styles) thumbs(c Curve) (out []plot.Thumbnailer) {
	if c.Kind != Scatter {
		out = append(out, &plotter.Line{LineStyle: s.line(c)})
	}
	if c.hasMarkers() {
		out = append(out, &plotter.Scatter{GlyphStyle: s.glyph(c)})
	}
	return out
}

// plotters returns those of curves in layers: no line covers a marker.
func (s *styles) plotters(x, y Axis, curves []Curve) []plot.Plotter {
	var references, lines, bars, points []plot.Plotter
	for _, c := range curves {
		for _, p := range c.pieces(x, y) {
			path := &plotter.Line{XYs: p.points, LineStyle: s.line(c)}
			switch c.Kind {
			case Reference:
				references = append(references, path)
			case Line, Marked:
				lines = append(lines, path)
			}
			if c.hasMarkers() {
				bars = append(bars, c.bars(p, line(hairline, s.of[c.Name].color)))
			}
			if c.hasMarkers() || c.Kind == Line && len(p.points) == 1 { // between two gaps
				points = append(points, &plotter.Scatter{XYs: p.points, GlyphStyle: s.glyph(c)})
			}
		}
		if marks := c.marks(x, y, s.of[c.Name].color); c.hasMarkers() && marks != nil {
			points, s.cut = append(points, marks...), true
		}
	}
	return slices.Concat(references, lines, bars, points)
}

// bars returns the intervals of a part of a curve.
func (c Curve) bars(p piece, sty draw.LineStyle) plot.Plotter {
	if c.Across {
		errors := plotter.XErrors(p.errors)
		return &plotter.XErrorBars{XYs: p.points, XErrors: errors, LineStyle: sty, CapWidth: capWidth}
	}
	return &plotter.YErrorBars{XYs: p.points, YErrors: p.errors, LineStyle: sty, CapWidth: capWidth}
}

// marks returns arrows at the frame for points that lie outside, and for ends of the intervals of the others.
func (c Curve) marks(x, y Axis, color color.Color) (out []plot.Plotter) {
	for i := range c.X {
		for k, p := range append([]plotter.XY{{X: c.X[i], Y: c.Y[i]}}, c.interval(i)...) {
			dx, px := x.side(p.X)
			dy, py := y.side(p.Y)
			if dx == 0 && dy == 0 || math.IsNaN(p.X) || math.IsNaN(p.Y) {
				continue
			}
			at := plotter.XYs{{X: px, Y: py}}
			out = append(out, &plotter.Scatter{XYs: at, GlyphStyle: arrow(dx, dy).glyph(color)})
			if k == 0 {
				break
			}
		}
	}
	return out
}

// interval returns the ends of the interval of a point, if it has both.
func (c Curve) interval(i int) []plotter.XY {
	switch {
	case len(c.Low) == 0 || math.IsNaN(c.Low[i]) || math.IsNaN(c.High[i]):
		return nil
	case c.Across:
		return []plotter.XY{{X: c.Low[i], Y: c.Y[i]}, {X: c.High[i], Y: c.Y[i]}}
	}
	return []plotter.XY{{X: c.X[i], Y: c.Low[i]}, {X: c.X[i], Y: c.High[i]}}
}

// A piece is a part of a curve without gaps, in coordinates, with its intervals.
type piece struct {
	points plotter.XYs
	errors plotter.YErrors
}

// pieces returns the parts of a curve that no gap divides.
func (c Curve) pieces(x, y Axis) (out []piece) {
	for i := range c.X {
		if !x.shows(c.X[i]) || !y.shows(c.Y[i]) {
			continue
		}
		if i == 0 || len(out) == 0 || !x.shows(c.X[i-1]) || !y.shows(c.Y[i-1]) {
			out = append(out, piece{})
		}
		point, errors := plotter.XY{X: x.near(c.X[i]), Y: y.near(c.Y[i])}, struct{ Low, High float64 }{}
		if ends := c.interval(i); ends != nil && c.Across {
			errors.Low, errors.High = point.X-x.near(ends[0].X), x.near(ends[1].X)-point.X
		} else if ends != nil {
			errors.Low, errors.High = point.Y-y.near(ends[0].Y), y.near(ends[1].Y)-point.Y
		}
		p := &out[len(out)-1]
		p.points, p.errors = append(p.points, point), append(p.errors, errors)
	}
	return out
}
