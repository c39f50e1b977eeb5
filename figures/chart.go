package figures

import (
	"cmp"
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

// Curve is a named set of points of a chart or a map, in the order in which a straight
// line joins them. A point with a coordinate that is not a number is a gap. So is one
// that is infinite, or not positive on a logarithmic axis; the legend counts these.
type Curve struct {
	Name  string // entry in the legend, if any; curves of one name have one style
	Group int    // curves of a group, 1 to [Groups], share a colour, and differ in their markers; 0: none
	Kind  Kind
	X, Y  []float64
	// Low and High, if given, are the ends of an interval about each Y: a band of a
	// Line, error bars of the other kinds. A Reference has none, nor a curve of a map.
	Low, High []float64
}

// Kind is how a curve is drawn.
type Kind int

const (
	Marked  Kind = iota // a line with markers
	Line                // a line alone
	Scatter             // markers alone
	// Reference is a line for comparison, drawn thin and grey beneath the curves
	// of a chart, and as the class boundary on a map. It does not widen the axes of a chart.
	Reference
)

const (
	curveWidth = vg.Length(1)
	thinWidth  = vg.Length(0.7)
	capWidth   = vg.Length(3.5) // of an error bar
	crowd      = 24             // points: the markers of more are small
	many       = 4              // columns: the charts of more are high, their markers small
)

// Charts draws rows of charts on one page, each as wide as a column of text. Charts are
// square if every chart has the same X and Y axis, as in a Q–Q plot. The legend at the foot
// explains the curves of all charts and counts the points that cannot be
// shown. The charts must not change until the last Encode.
func Charts(rows [][]Chart) *Figure {
	var all []Curve
	for _, c := range slices.Concat(rows...) {
		all = append(all, c.Curves...)
	}
	var (
		known  = stylesOf(all)
		hidden hidden
		aspect = vg.Length(1)
		wide   = landscape
		out    = page{rows: make([][]panel, len(rows))}
	)
	if len(rows) > 0 && len(rows[0]) > many {
		known.radius, wide = crowdRadius, 1
	}
	for i, row := range rows {
		for j, c := range row {
			x, y := endsX(rows, j, c.X), endsY(row, c.Y)
			if x.Min != y.Min || x.Max != y.Max || x.Log != y.Log {
				aspect = wide
			}
			next := panel{title: c.Title, x: x, y: y, plotters: known.plotters(x, y, c.Curves)}
			out.rows[i] = append(out.rows[i], next)
			hidden.count(x, y, c.Curves)
		}
	}
	out.height = func(width vg.Length) vg.Length { return aspect * width }
	out.keys = append(align(known.keys()), hidden.notes("charts")...)
	return out.figure()
}

// endsX returns the X axis of a chart in a column, with its ends.
func endsX(rows [][]Chart, column int, a Axis) Axis {
	var curves []Curve
	for _, r := range rows {
		if column < len(r) && r[column].X == a {
			curves = append(curves, r[column].Curves...)
		}
	}
	return a.withEnds(curves, func(c Curve) []float64 { return c.X })
}

// endsY returns the Y axis of a chart in a row, with its ends.
func endsY(row []Chart, a Axis) Axis {
	var curves []Curve
	for _, c := range row {
		if c.Y == a {
			curves = append(curves, c.Curves...)
		}
	}
	return a.withEnds(curves, func(c Curve) []float64 { return slices.Concat(c.Y, c.Low, c.High) })
}

// check panics unless the curve can be drawn.
func (c Curve) check() {
	n := len(c.X)
	require(len(c.Y) == n && (c.Low == nil || len(c.Low) == n && c.Kind != Reference) && len(c.High) == len(c.Low),
		"curve %q of kind %d has %d X, %d Y, %d Low, %d High", c.Name, c.Kind, n, len(c.Y), len(c.Low), len(c.High))
	for i := range c.Low {
		require(!(c.Low[i] > c.High[i]), "curve %q: interval %d from %g to %g", c.Name, i, c.Low[i], c.High[i])
	}
}

func (c Curve) hasLine() bool    { return c.Kind != Scatter }
func (c Curve) hasMarkers() bool { return c.Kind == Marked || c.Kind == Scatter }

// line returns the style of the line of a curve, which has no dashes between markers.
func (s *styles) line(c Curve) draw.LineStyle {
	out := line(curveWidth, s.of[c.Name].color)
	if c.Kind != Marked || len(c.X) > crowd {
		out.Dashes = s.of[c.Name].dashes
	}
	if c.Kind == Reference {
		out.Width = thinWidth
	}
	return out
}

// glyph returns the marker of a curve.
func (s *styles) glyph(c Curve) draw.GlyphStyle {
	if len(c.X) > crowd {
		return s.of[c.Name].glyph(crowdRadius)
	}
	return s.of[c.Name].glyph(cmp.Or(s.radius, markerRadius))
}

// keys returns the keys of all curves that have a name.
func (s *styles) keys() (out []key) {
	for _, c := range s.named {
		k := key{text: c.Name, width: lineWidth}
		if c.Low != nil && c.Kind == Line {
			k.thumbs = append(k.thumbs, &plotter.Polygon{Color: tint(s.of[c.Name].color)})
		}
		if c.hasLine() {
			k.thumbs = append(k.thumbs, &plotter.Line{LineStyle: s.line(c)})
		} else {
			k.width = markerWidth
		}
		if c.hasMarkers() {
			k.thumbs = append(k.thumbs, &plotter.Scatter{GlyphStyle: s.glyph(c)})
		}
		if c.Name != "" {
			out = append(out, k)
		}
	}
	return out
}

// plotters returns those of curves in layers, so that no line covers a marker.
func (s *styles) plotters(x, y Axis, curves []Curve) []plot.Plotter {
	var bands, references, lines, bars, points []plot.Plotter
	for _, c := range curves {
		color, glyph := s.of[c.Name].color, s.glyph(c)
		for _, p := range c.covered().pieces(x, y) {
			if c.Kind != Line {
				bars = append(bars, &plotter.YErrorBars{
					XYs: p.at, YErrors: p.ends, LineStyle: line(hairline, color), CapWidth: capWidth,
				})
			} else if len(p.at) > 1 {
				bands = append(bands, p.band(tint(color)))
			}
		}
		for _, p := range c.pieces(x, y) {
			path := &plotter.Line{XYs: p.at, LineStyle: s.line(c)}
			switch {
			case c.Kind == Reference:
				references = append(references, path)
			case c.hasLine():
				lines = append(lines, path)
			}
			switch {
			case c.hasMarkers():
				points = append(points, &plotter.Scatter{XYs: p.at, GlyphStyle: glyph})
			case c.Kind == Line && len(p.at) == 1: // Between two gaps, a point becomes a dot.
				dot := draw.GlyphStyle{Color: color, Radius: curveWidth, Shape: shapes[0]}
				points = append(points, &plotter.Scatter{XYs: p.at, GlyphStyle: dot})
			}
		}
	}
	return slices.Concat(bands, references, lines, bars, points)
}

// A piece is a part of a curve without gaps, in the coordinates of the plot.
type piece struct {
	at   plotter.XYs
	ends plotter.YErrors // how far intervals reach, if there are any
}

// pieces returns the parts of a curve that no gap divides.
func (c Curve) pieces(x, y Axis) (out []piece) {
	open := false
	for i := range c.X {
		if !x.shows(c.X[i]) || !y.shows(c.Y[i]) {
			open = false
			continue
		}
		if !open {
			out, open = append(out, piece{}), true
		}
		p, at := &out[len(out)-1], plotter.XY{X: x.near(c.X[i]), Y: y.near(c.Y[i])}
		p.at = append(p.at, at)
		if c.Low != nil {
			p.ends = append(p.ends, struct{ Low, High float64 }{at.Y - y.near(c.Low[i]), y.near(c.High[i]) - at.Y})
		}
	}
	return out
}

// covered returns the curve with gaps where it has no intervals.
func (c Curve) covered() Curve {
	if c.Low == nil {
		return Curve{}
	}
	c.Y = slices.Clone(c.Y)
	for i := range c.Y {
		if math.IsNaN(c.Low[i]) || math.IsNaN(c.High[i]) {
			c.Y[i] = math.NaN()
		}
	}
	return c
}

// band returns the area of the intervals.
func (p piece) band(c color.Color) *plotter.Polygon {
	var upper, lower plotter.XYs
	for i, at := range p.at {
		upper = append(upper, plotter.XY{X: at.X, Y: at.Y + p.ends[i].High})
		lower = append(lower, plotter.XY{X: at.X, Y: at.Y - p.ends[i].Low})
	}
	slices.Reverse(lower)
	return &plotter.Polygon{XYs: []plotter.XYs{append(upper, lower...)}, Color: c}
}

// hidden counts the points of curves that a page does not show although they have
// coordinates.
type hidden struct{ infinite, negative, outside int }

// count adds curves. References, and lines without markers, may leave the panel
// without being counted.
func (h *hidden) count(x, y Axis, curves []Curve) {
	for _, c := range curves {
		for i := range c.X {
			switch at, of := c.X[i], c.Y[i]; {
			case c.Kind == Reference || math.IsNaN(at) || math.IsNaN(of):
			case math.IsInf(at, 0) || math.IsInf(of, 0):
				h.infinite++
			case !x.shows(at) || !y.shows(of):
				h.negative++
			case c.Kind != Line && !(x.holds(at) && y.holds(of)):
				h.outside++
			}
		}
	}
}

// notes are those in the legend, for panels that are called maps, charts.
func (h hidden) notes(panels string) []key {
	return slices.Concat(
		note(h.infinite, "point", " at infinity, not shown"),
		note(h.negative, "point", " ≤ 0, not shown on a logarithmic axis"),
		note(h.outside, "point", " outside the "+panels))
}
