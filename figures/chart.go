package figures

import (
	"math"

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
	Name string // entry in the legend, if any; it gives the curve its style: see [StyleOf]
	Kind Kind
	X, Y []float64
	// Low and High, if given, are the ends of an interval about each Y: a band of a
	// Line, error bars of the other kinds. A Reference has none, nor a curve of a map.
	Low, High []float64
}

// Kind is the way in which a curve is drawn.
type Kind int

const (
	Marked  Kind = iota // a line with markers
	Line                // a line alone
	Scatter             // markers alone
	// Reference is a line to compare the data with: thin and grey beneath the curves
	// of a chart, as the boundary on a map. It does not widen the axes of a chart.
	Reference
)

const (
	curveWidth = vg.Length(1)
	thinWidth  = vg.Length(0.7)
	capWidth   = vg.Length(3.5) // of an error bar
	crowd      = 24             // points: the markers of more are small
)

// Charts draws rows of charts on one page, each as wide as a column of text; they are
// squares if every chart has the same X and Y, as a Q–Q plot. The legend at the foot
// explains the curves of all charts, and counts the points that have no place in
// them. The charts must not change until the last Encode.
func Charts(rows [][]Chart) *Figure {
	var (
		known  styles
		hidden hidden
		aspect = vg.Length(1)
		out    = page{rows: make([][]panel, len(rows))}
	)
	for i, row := range rows {
		for j, c := range row {
			p := panel{title: c.Title, x: endsX(rows, j, c.X), y: endsY(row, c.Y)}
			for _, curve := range c.Curves {
				curve.check()
				known.add(curve)
				hidden.count(p.x, p.y, curve)
			}
			p.plotters = known.plotters(p.x, p.y, c.Curves)
			if p.x.Min != p.y.Min || p.x.Max != p.y.Max || p.x.Log != p.y.Log {
				aspect = 0.78
			}
			out.rows[i] = append(out.rows[i], p)
		}
	}
	out.height = func(width vg.Length) vg.Length { return aspect * width }
	out.keys = append(align(known.keys()), hidden.notes("charts")...)
	return out.figure()
}

// endsX returns the X axis of a chart in a column, with its ends.
func endsX(rows [][]Chart, column int, a Axis) Axis {
	var d dataRange
	for _, r := range rows {
		if column < len(r) && r[column].X == a {
			for _, c := range r[column].Curves {
				d.add(c, c.X)
			}
		}
	}
	return a.withEnds(d)
}

// endsY returns the Y axis of a chart in a row, with its ends.
func endsY(row []Chart, a Axis) Axis {
	var d dataRange
	for _, chart := range row {
		if chart.Y == a {
			for _, c := range chart.Curves {
				d.add(c, c.Y, c.Low, c.High)
			}
		}
	}
	return a.withEnds(d)
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
func (c Curve) crowded() bool    { return len(c.X) > crowd }
func (c Curve) hasMarkers() bool { return c.Kind == Marked || c.Kind == Scatter }

// lineStyle returns that of the line of a curve.
func (s *styles) lineStyle(c Curve) draw.LineStyle {
	sty := s.of[c.Name]
	switch {
	case c.Kind == Marked && !c.crowded():
		return line(curveWidth, sty.Color)
	case c.Kind == Reference:
		return draw.LineStyle{Color: sty.Color, Width: thinWidth, Dashes: sty.Dashes}
	}
	return draw.LineStyle{Color: sty.Color, Width: curveWidth, Dashes: sty.Dashes}
}

// glyph returns the marker of a curve.
func (s *styles) glyph(c Curve) draw.GlyphStyle {
	if c.crowded() {
		return s.of[c.Name].glyph(crowdRadius)
	}
	return s.of[c.Name].glyph(markerRadius)
}

// keys returns the keys of all curves that have a name.
func (s *styles) keys() (out []key) {
	for _, c := range s.named {
		k := key{text: c.Name, width: markerKey}
		if c.hasLine() {
			k.width = lineKey
			if c.Low != nil && c.Kind == Line {
				k.thumbs = append(k.thumbs, &plotter.Polygon{Color: tint(s.of[c.Name].Color)})
			}
			k.thumbs = append(k.thumbs, &plotter.Line{LineStyle: s.lineStyle(c)})
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
func (s *styles) plotters(x, y Axis, curves []Curve) (out []plot.Plotter) {
	var bands, references, lines, bars, points []plot.Plotter
	for _, c := range curves {
		for _, p := range c.pieces(x, y) {
			path := within{&plotter.Line{XYs: p.at, LineStyle: s.lineStyle(c)}}
			glyph := s.glyph(c)
			if c.Kind == Line { // Between two gaps, a point becomes a dot.
				glyph = draw.GlyphStyle{Color: glyph.Color, Radius: curveWidth, Shape: shapes[0]}
			}
			switch {
			case c.Kind == Line && c.Low != nil:
				bands = append(bands, p.bands(s.of[c.Name])...)
			case c.Low != nil:
				bars = append(bars, p.bars(s.of[c.Name]))
			}
			switch {
			case c.Kind == Reference:
				references = append(references, path)
			case c.hasLine():
				lines = append(lines, path)
			}
			if c.hasMarkers() || c.Kind == Line && len(p.at) == 1 {
				points = append(points, within{&plotter.Scatter{XYs: p.at, GlyphStyle: glyph}})
			}
		}
	}
	for _, layer := range [][]plot.Plotter{bands, references, lines, bars, points} {
		out = append(out, layer...)
	}
	return out
}

// A piece is a part of a curve without gaps, in the coordinates of the plot.
type piece struct {
	at   plotter.XYs
	ends plotter.YErrors // how far intervals reach; NaN where there is none
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

// has tells whether a point has an interval.
func (p piece) has(i int) bool { return !math.IsNaN(p.ends[i].Low + p.ends[i].High) }

// bars returns the intervals as error bars.
func (p piece) bars(sty Style) plot.Plotter {
	out := &plotter.YErrorBars{LineStyle: line(hairline, sty.Color), CapWidth: capWidth}
	for i, at := range p.at {
		if p.has(i) {
			out.XYs, out.YErrors = append(out.XYs, at), append(out.YErrors, p.ends[i])
		}
	}
	return within{out}
}

// bands returns the intervals as polygons, one for each stretch that has them.
func (p piece) bands(sty Style) (out []plot.Plotter) {
	for i := 0; i < len(p.at); i++ {
		var upper, lower plotter.XYs
		for ; i < len(p.at) && p.has(i); i++ {
			upper = append(upper, plotter.XY{X: p.at[i].X, Y: p.at[i].Y + p.ends[i].High})
			lower = append(plotter.XYs{{X: p.at[i].X, Y: p.at[i].Y - p.ends[i].Low}}, lower...)
		}
		if len(upper) > 1 {
			out = append(out, within{&plotter.Polygon{XYs: []plotter.XYs{append(upper, lower...)}, Color: tint(sty.Color)}})
		}
	}
	return out
}

// hidden counts the points of curves that a page does not show, although they
// have coordinates.
type hidden struct{ infinite, negative, outside int }

// count adds a curve. A reference may go on for ever; so may lines without markers,
// which are seen to leave the panel.
func (h *hidden) count(x, y Axis, c Curve) {
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

// notes are those in the legend, for panels that are called maps, charts.
func (h hidden) notes(panels string) []key {
	return notes(
		count{h.infinite, "point", " at infinity, not shown"},
		count{h.negative, "point", " ≤ 0, not shown on a logarithmic axis"},
		count{h.outside, "point", " outside the " + panels})
}
