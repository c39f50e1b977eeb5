package figures

import (
	"fmt"
	"image/color"
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

// Curve is a named set of points in the plane of a chart or of a map, in the
// order in which a line joins them. The lines are straight on the page, also
// where an axis is logarithmic. A point with a coordinate that is not a number
// is a gap. So is one that is infinite, or not positive on a logarithmic axis;
// the legend counts these.
type Curve struct {
	// Name is the entry in the legend; without one there is none. On charts it
	// gives the curve its style.
	Name string
	Kind Kind
	X, Y []float64
	// Low and High, if given, are the ends of an interval about each Y: a band
	// in the colour of a Line, error bars of the other kinds. A lower end
	// that is not positive reaches to the foot of a logarithmic axis; where an
	// end is not a number there is no interval. A Reference has none, nor has a
	// curve of a map.
	Low, High []float64
}

// Kind is the way in which a curve is drawn.
type Kind int

const (
	// Marked is a line with markers. A curve of up to 16 points has one at
	// each, a longer one at those that stand apart.
	Marked Kind = iota
	// Line is a line alone. Its dashes tell it from others in grey as well.
	Line
	// Scatter is a set of markers without a line.
	Scatter
	// Reference is a line to compare the data with: thin and grey beneath the
	// curves of a chart, white in a dark casing on a map. It does not widen
	// the axes of a chart.
	Reference
)

const (
	curveWidth     = vg.Length(1)
	referenceWidth = vg.Length(0.7)
	capWidth       = vg.Length(3.5) // of an error bar
	crowd          = 50             // points: more markers cannot stand apart
)

// Charts draws rows of charts on one page, one chart as wide as a column of
// text. All data areas have one size and stand in straight columns; they are
// squares if every chart has the same X and Y, as a Q–Q plot. An axis
// with the label and the ends of that below it, or to its left, has no text of
// its own; a title that repeats the one above it in the column is left out.
// The legend at the foot explains the curves of all charts, and counts the
// points that have no place in them. The charts must not change until the last
// Encode.
func Charts(rows [][]Chart) *Figure {
	var (
		known   curveStyles
		missing missing
		aspect  = vg.Length(1)
		out     = page{rows: make([][]panel, len(rows))}
	)
	for i, row := range rows {
		for j, c := range row {
			for _, curve := range c.Curves {
				curve.check()
				known.add(curve)
			}
			p := panel{title: c.Title, x: endsX(rows, j, c.X), y: endsY(row, c.Y)}
			p.plotters = curvePlotters(p.x, p.y, c.Curves, &known)
			missing.count(p.x, p.y, c.Curves)
			if p.x.Min != p.y.Min || p.x.Max != p.y.Max || p.x.Log != p.y.Log {
				aspect = 0.78
			}
			out.rows[i] = append(out.rows[i], p)
		}
	}
	out.height = func(width vg.Length) vg.Length { return aspect * width }
	out.keys = append(aligned(known.keys()), missing.keys("charts")...)
	return out.figure()
}

// endsX returns the X axis of a chart in a column, with its ends.
func endsX(rows [][]Chart, column int, a Axis) Axis {
	var values, references []float64
	for _, r := range rows {
		if column < len(r) && r[column].X == a {
			for _, c := range r[column].Curves {
				if c.Kind == Reference {
					references = append(references, c.X...)
				} else {
					values = append(values, c.X...)
				}
			}
		}
	}
	return a.withEnds(values, references)
}

// endsY returns the Y axis of a chart in a row, with its ends.
func endsY(row []Chart, a Axis) Axis {
	var values, references []float64
	for _, chart := range row {
		if chart.Y == a {
			for _, c := range chart.Curves {
				if c.Kind == Reference {
					references = append(references, c.Y...)
				} else {
					values = append(append(append(values, c.Y...), c.Low...), c.High...)
				}
			}
		}
	}
	return a.withEnds(values, references)
}

func (c Curve) check() {
	switch {
	case len(c.X) != len(c.Y):
		panic(fmt.Sprintf("figures: curve %q has %d X and %d Y", c.Name, len(c.X), len(c.Y)))
	case c.Kind < Marked || c.Kind > Reference:
		panic(fmt.Sprintf("figures: curve %q is of the unknown kind %d", c.Name, c.Kind))
	case len(c.Low) != len(c.High) || c.Low != nil && (len(c.Low) != len(c.Y) || c.Kind == Reference):
		panic(fmt.Sprintf("figures: curve %q of %d points has %d Low and %d High", c.Name, len(c.Y), len(c.Low), len(c.High)))
	}
	for i := range c.Low {
		if c.Low[i] > c.High[i] {
			panic(fmt.Sprintf("figures: curve %q: interval %d from %g to %g", c.Name, i, c.Low[i], c.High[i]))
		}
	}
}

// radius is that of the markers.
func (c Curve) radius() vg.Length {
	if c.Kind == Scatter && len(c.X) > crowd {
		return crowdRadius
	}
	return markerRadius
}

// curveStyles has the first curve of every name of a figure, and the styles.
type curveStyles struct {
	styles     styles
	references []string
	named      []Curve
}

// add gives a curve its style. It panics if a name stands for different kinds.
func (s *curveStyles) add(c Curve) {
	for _, known := range s.named {
		if known.Name == c.Name {
			if known.Kind != c.Kind {
				panic(fmt.Sprintf("figures: curve %q is of two kinds", c.Name))
			}
			return
		}
	}
	s.named = append(s.named, c)
	if c.Kind == Reference {
		s.references = append(s.references, c.Name)
		return
	}
	if s.styles == nil {
		s.styles = make(styles)
	}
	s.styles.add(c.Name)
}

// line returns the style of the line of a curve.
func (s *curveStyles) line(c Curve) draw.LineStyle {
	out := line(curveWidth, s.styles[c.Name].Color)
	switch c.Kind {
	case Reference:
		out = line(referenceWidth, grey)
		for i, name := range s.references {
			if name == c.Name {
				out.Dashes = dashes[i%len(dashes)]
			}
		}
	case Line:
		out.Dashes = s.styles[c.Name].Dashes
	}
	return out
}

// keys returns the keys of all curves that have a name.
func (s *curveStyles) keys() (out []key) {
	for _, c := range s.named {
		if c.Name == "" {
			continue
		}
		k := key{text: c.Name, width: wideKey}
		if c.Kind == Scatter {
			k.width = markerKey
		} else {
			if c.Low != nil && c.Kind == Line {
				k.thumbs = append(k.thumbs, &plotter.Polygon{Color: tint(s.styles[c.Name].Color)})
			}
			k.thumbs = append(k.thumbs, &plotter.Line{LineStyle: s.line(c)})
		}
		if c.Kind == Marked || c.Kind == Scatter {
			k.thumbs = append(k.thumbs, &plotter.Scatter{GlyphStyle: s.styles[c.Name].glyph(c.radius())})
		}
		out = append(out, k)
	}
	return out
}

// curvePlotters returns the plotters of curves in layers: bands, references, lines,
// error bars, markers.
func curvePlotters(x, y Axis, curves []Curve, known *curveStyles) []plot.Plotter {
	var layers [5][]plot.Plotter
	for _, c := range curves {
		sty := known.styles[c.Name]
		for _, piece := range c.pieces(x, y) {
			switch {
			case c.Kind == Line && c.Low != nil:
				layers[0] = append(layers[0], piece.bands(tint(sty.Color))...)
			case c.Low != nil:
				layers[3] = append(layers[3], piece.bars(line(hairline, sty.Color)))
			}
			switch c.Kind {
			case Reference:
				layers[1] = append(layers[1], within{&plotter.Line{XYs: piece.at, LineStyle: known.line(c)}})
			case Marked, Line:
				layers[2] = append(layers[2], within{&plotter.Line{XYs: piece.at, LineStyle: known.line(c)}})
				if c.Kind == Line && len(piece.at) == 1 { // between two gaps: a dot
					dot := draw.GlyphStyle{Color: sty.Color, Radius: curveWidth, Shape: Marker(0)}
					layers[4] = append(layers[4], within{&plotter.Scatter{XYs: piece.at, GlyphStyle: dot}})
				}
			}
			if c.Kind == Marked || c.Kind == Scatter {
				s := &plotter.Scatter{XYs: piece.at, GlyphStyle: sty.glyph(c.radius())}
				layers[4] = append(layers[4], markers{s, c.Kind == Marked && len(c.X) > fewPoints})
			}
		}
	}
	var out []plot.Plotter
	for _, l := range layers {
		out = append(out, l...)
	}
	return out
}

// A piece is a part of a curve without gaps, in the coordinates of the plot.
type piece struct {
	at  plotter.XYs
	low plotter.YErrors // how far the interval reaches; NaN: there is none
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
		p := &out[len(out)-1]
		p.at = append(p.at, plotter.XY{X: x.at(c.X[i]), Y: y.at(c.Y[i])})
		if c.Low == nil {
			continue
		}
		low, high := y.at(c.Low[i]), y.at(c.High[i])
		if y.Log && c.Low[i] <= 0 {
			low = min(y.at(y.Min), y.at(c.Y[i])) - 1 // below the foot
		}
		p.low = append(p.low, struct{ Low, High float64 }{y.at(c.Y[i]) - low, high - y.at(c.Y[i])})
	}
	return out
}

// has tells whether a point has an interval.
func (p piece) has(i int) bool {
	w := p.low[i].Low + p.low[i].High
	return !math.IsNaN(w) && !math.IsInf(w, 0)
}

// bars returns the intervals as error bars.
func (p piece) bars(sty draw.LineStyle) plot.Plotter {
	out := &plotter.YErrorBars{LineStyle: sty, CapWidth: capWidth}
	for i := range p.at {
		if p.has(i) {
			out.XYs = append(out.XYs, p.at[i])
			out.YErrors = append(out.YErrors, p.low[i])
		}
	}
	return within{out}
}

// bands returns the intervals as polygons, one for each stretch that has them.
func (p piece) bands(c color.NRGBA) (out []plot.Plotter) {
	var ring plotter.XYs // the upper ends, then the lower ones backwards
	var lower plotter.XYs
	flush := func() {
		if len(ring) > 1 {
			for i := len(lower) - 1; i >= 0; i-- {
				ring = append(ring, lower[i])
			}
			out = append(out, within{&plotter.Polygon{XYs: []plotter.XYs{ring}, Color: c}})
		}
		ring, lower = nil, nil
	}
	for i, at := range p.at {
		if !p.has(i) {
			flush()
			continue
		}
		ring = append(ring, plotter.XY{X: at.X, Y: at.Y + p.low[i].High})
		lower = append(lower, plotter.XY{X: at.X, Y: at.Y - p.low[i].Low})
	}
	flush()
	return out
}

// Of a curve with more than fewPoints, a marker is left out if it is nearer
// than markerApart to the one before it.
const (
	fewPoints   = 16
	markerApart = vg.Length(9)
)

// markers is a plotter of markers, whole also where they reach over the frame.
type markers struct {
	*plotter.Scatter
	apart bool // leaves some out
}

// Plot implements plot.Plotter.
func (m markers) Plot(c draw.Canvas, plt *plot.Plot) {
	x, y := plt.Transforms(&c)
	last := vg.Point{X: vg.Length(math.Inf(-1))}
	few := *m.Scatter
	few.XYs = nil
	for _, p := range m.XYs {
		at := vg.Point{X: x(p.X), Y: y(p.Y)}
		if d := at.Sub(last); c.Contains(at) && (!m.apart || math.Hypot(float64(d.X), float64(d.Y)) >= float64(markerApart)) {
			few.XYs = append(few.XYs, p)
			last = at
		}
	}
	few.Plot(c, plt)
}
