package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
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
// a coordinate that the axis cannot show is a gap; the legend counts those that are numbers.
type Curve struct {
	Name  string // entry in the legend, if any; curves of one name have one style
	Group int    // curves of a group, 1 to [Groups], share a colour, and differ in their markers; 0: none
	Kind  Kind
	X, Y  []float64
	// Low and High, if given, are the ends of an interval about each Y: a band of a Line, else error bars.
	Low, High []float64
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
	capWidth   = vg.Length(2.6) // of an error bar: an empty one is hidden by the smallest marker
	crowd      = 24             // points: the markers of more are small
	many       = 4              // columns: the charts of more are high, their markers small
)

// Charts draws rows of charts on one page. Charts are square if every chart has the same X and Y axis, as in
// a Q–Q plot. The legend counts the points that are not shown. The charts must not change until the last
// Encode.
func Charts(rows [][]Chart) *Figure {
	out, axes := page{aspect: 1}, sharedAxes(slices.Concat(rows...))
	small := len(rows) > 0 && len(rows[0]) > many
	styles, hidden := styles{of: map[string]style{}, small: small}, 0
	for _, row := range rows {
		var panels []panel
		for _, c := range row {
			x, y := axes[c.X], axes[c.Y]
			for _, curve := range c.Curves {
				n := len(curve.X)
				low, high := cmp.Or(len(curve.Low), n), cmp.Or(len(curve.High), n)
				if err := sameLength(curve.Name, n, len(curve.Y), low, high); err != nil {
					return failed(err)
				}
				hidden += curve.hidden(x, y)
			}
			if (x.Min != y.Min || x.Max != y.Max || x.Log != y.Log) && !small {
				out.aspect = landscape
			}
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
	if hidden > 0 {
		out.keys = append(out.keys, key{text: fmt.Sprint("points not shown: ", hidden)})
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
				values[x] = append(values[x], c.X...)
				values[y] = slices.Concat(values[y], c.Y, c.Low, c.High)
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

// Split divides the curves of a chart among charts side by side, n in each, and the references in all.
func (c Chart) Split(n int) (out []Chart) {
	var references, others []Curve
	for _, curve := range c.Curves {
		if curve.Kind == Reference {
			references = append(references, curve)
		} else {
			others = append(others, curve)
		}
	}
	for i := 0; i == 0 || i < len(others); i += n { // one chart at least
		c.Curves = slices.Concat(references, others[i:min(i+n, len(others))])
		out = append(out, c)
	}
	return out
}

// Beside shifts curves, except references, along a logarithmic X axis, so that equal curves do not overlap.
func Beside(curves []Curve) []Curve {
	const ratio = 1.08
	out := slices.Clone(curves)
	var shifted []*Curve
	for i, c := range out {
		if c.Kind != Reference {
			shifted = append(shifted, &out[i])
		}
	}
	for k, c := range shifted {
		by := math.Pow(ratio, float64(k)-float64(len(shifted)-1)/2)
		c.X = floats.ScaleTo(make([]float64, len(c.X)), by, c.X)
	}
	return out
}

// sameLength returns an error unless all lists of something have as many numbers.
func sameLength(name string, first int, others ...int) error {
	for _, n := range others {
		if n != first {
			return fmt.Errorf("%q has %d numbers and %d", name, first, n)
		}
	}
	return nil
}

// hidden counts the markers that have coordinates but lie outside the panel, such as infinite values.
func (c Curve) hidden(x, y Axis) (n int) {
	for i, v := range c.X {
		if c.hasMarkers() && !math.IsNaN(v) && !math.IsNaN(c.Y[i]) && !(x.holds(v) && y.holds(c.Y[i])) {
			n++
		}
	}
	return n
}

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
	out := shapes[s.of[c.Name].marker].glyph(s.of[c.Name].color)
	if s.small || len(c.X) > crowd {
		out.Radius = crowdRadius
	}
	return out
}

// thumbs returns the pictures of a curve in the legend.
func (s *styles) thumbs(c Curve) (out []plot.Thumbnailer) {
	if len(c.Low) > 0 && c.Kind == Line {
		out = append(out, &plotter.Polygon{Color: tint(s.of[c.Name].color)})
	}
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
	var bands, references, lines, bars, points []plot.Plotter
	for _, c := range curves {
		for _, p := range c.pieces(x, y) {
			path := &plotter.Line{XYs: p.points, LineStyle: s.line(c)}
			switch c.Kind {
			case Reference:
				references = append(references, path)
			case Line:
				slices.Reverse(p.low)
				area := []plotter.XYs{append(p.high, p.low...)}
				bands = append(bands, &plotter.Polygon{XYs: area, Color: tint(s.of[c.Name].color)})
				fallthrough
			case Marked:
				lines = append(lines, path)
			}
			if c.hasMarkers() {
				sty := line(hairline, s.of[c.Name].color)
				bar := &plotter.YErrorBars{XYs: p.points, YErrors: p.errors, LineStyle: sty}
				bar.CapWidth = capWidth
				bars = append(bars, bar)
			}
			if c.hasMarkers() || c.Kind == Line && len(p.points) == 1 { // between two gaps
				points = append(points, &plotter.Scatter{XYs: p.points, GlyphStyle: s.glyph(c)})
			}
		}
	}
	return slices.Concat(bands, references, lines, bars, points)
}

// A piece is a part of a curve without gaps, in coordinates, with its intervals.
type piece struct {
	points, low, high plotter.XYs
	errors            plotter.YErrors
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
		point := plotter.XY{X: x.near(c.X[i]), Y: y.near(c.Y[i])}
		low, high := point, point
		if len(c.Low) > 0 && !math.IsNaN(c.Low[i]) && !math.IsNaN(c.High[i]) {
			low.Y, high.Y = y.near(c.Low[i]), y.near(c.High[i])
		}
		p := &out[len(out)-1]
		p.points, p.low, p.high = append(p.points, point), append(p.low, low), append(p.high, high)
		p.errors = append(p.errors, struct{ Low, High float64 }{point.Y - low.Y, high.Y - point.Y})
	}
	return out
}
