package figures

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Map is one panel: a scalar field on a rectangular grid. The panel shows the
// area from the first to the last coordinate; a value colours the points that
// are nearest to its grid point.
type Map struct {
	Title    string
	X, Y     []float64 // ascending, two or more each
	Z        []float64 // Z[j*len(X)+i] is the value at (X[i], Y[j])
	Points   []Point   // the examples seen so far; those outside are counted in the legend
	Boundary []Segment // the true boundary of the classes
	Curves   []Curve   // drawn over the field; the legend explains them
	// LogX and LogY make an axis logarithmic; its coordinates are positive.
	LogX, LogY bool
}

// Point is an example of a class. Classes are counted from 0.
type Point struct {
	X, Y  float64
	Class int
}

// Segment is a straight line.
type Segment struct{ X0, Y0, X1, Y1 float64 }

// Row is a row of maps that share a scale. Values outside the scale, and NaN, have
// special colours, which the legend explains and counts. On a
// logarithmic scale, equal steps of colour are equal ratios.
type Row struct {
	Scale Axis
	Maps  []Map
}

// Labels are the words of a figure of maps. Empty ones have
// defaults.
type Labels struct {
	X, Y    string   // the axes; "$x₁$" and "$x₂$"
	Classes []string // of all examples, from 0 on; explained even if none is shown
	Below   string   // what it means to be below a scale; "below scale"
}

const (
	barGap   = vg.Length(5)
	barWidth = vg.Length(7)
	shades   = 253
)

// Maps draws rows of maps on one page, with one colour bar for each row. Maps are square if both axes are
// the same, or if a row has many. The maps must not change until the last Encode.
func Maps(rows []Row, labels Labels) *Figure {
	labels.X, labels.Y = cmp.Or(labels.X, "$x₁$"), cmp.Or(labels.Y, "$x₂$")
	var (
		out   page
		high  = vg.Length(1)
		room  vg.Length // for the tick labels of the bars
		lines []Curve
	)
	for _, r := range rows {
		r.Scale.check()
		room = max(room, labelWidth(newPlot(Axis{Max: 1}, r.Scale).Y))
		for _, m := range r.Maps {
			m.check()
			lines = append(lines, m.lines()...)
		}
	}
	over := stylesOf(lines)
	for _, r := range rows {
		var panels []panel
		for _, m := range r.Maps {
			x, y := m.axes(labels)
			if (x.Min != y.Min || x.Max != y.Max) && len(r.Maps) <= many {
				high = landscape
			}
			panels = append(panels, panel{title: m.Title, x: x, y: y, plotters: m.plotters(x, y, r.Scale, over)})
		}
		out.rows = append(out.rows, panels)
	}
	out.height = func(width vg.Length) vg.Length { return high * width }
	out.margin = barGap + barWidth + tickLength + 2*textGap + room + letters(textSize, 0, 0).Height("x")
	out.beside = func(area draw.Canvas, row int) { colorBar(area, rows[row].Scale, room) }
	out.keys = mapKeys(rows, labels, over)
	return out.figure()
}

// colorBar draws a scale to the right of a data area, with some room for its tick labels.
func colorBar(c draw.Canvas, scale Axis, room vg.Length) {
	c.Rectangle = box(c.Max.X+barGap, c.Min.Y, barWidth, c.Size().Y)
	plt := newPlot(Axis{Max: 1}, scale)
	plt.HideAxes()
	plt.Y.Label.Text = ""
	plt.Add(&plotter.ColorBar{ColorMap: ramp(plt.Y.Min, plt.Y.Max), Vertical: true, Colors: shades}, frame{})
	plt.Draw(c)
	for _, t := range scale.ticks(tickCount) {
		length := tickLength
		if t.IsMinor() {
			length /= 2
		}
		y := c.Y(plt.Y.Norm(t.Value))
		c.StrokeLine2(line(hairline, black), c.Max.X, y, c.Max.X+length, y)
		at := vg.Point{X: c.Max.X + tickLength + textGap, Y: y}
		write(c, letters(textSize, text.XLeft, text.YCenter), at, t.Label)
	}
	sty := letters(textSize, text.XCenter, text.YTop)
	sty.Rotation = math.Pi / 2
	write(c, sty, vg.Point{X: c.Max.X + tickLength + 2*textGap + room, Y: c.Center().Y}, scale.Label)
}

// axes returns the axes of a map.
func (m Map) axes(labels Labels) (x, y Axis) {
	x = Axis{Label: labels.X, Log: m.LogX, Min: m.X[0], Max: m.X[len(m.X)-1]}
	return x, Axis{Label: labels.Y, Log: m.LogY, Min: m.Y[0], Max: m.Y[len(m.Y)-1]}
}

// check panics unless the map can be drawn.
func (m Map) check() {
	require(len(m.Z) == len(m.X)*len(m.Y), "map has %d values, not %d×%d", len(m.Z), len(m.X), len(m.Y))
	for _, axis := range [][]float64{m.X, m.Y} {
		require(len(axis) >= 2, "map has %d coordinates along an axis; it needs 2", len(axis))
		for i, v := range axis[1:] {
			require(v > axis[i], "coordinate %d, %g, does not ascend", i+1, v)
		}
	}
	x, y := m.axes(Labels{})
	x.check()
	y.check()
}

// lines returns the lines over a map: its boundary, which is a curve as others, and
// its curves.
func (m Map) lines() []Curve {
	if len(m.Boundary) == 0 {
		return m.Curves
	}
	boundary := Curve{Name: boundaryName, Kind: Reference}
	for i, s := range m.Boundary {
		if i == 0 || m.Boundary[i-1].X1 != s.X0 || m.Boundary[i-1].Y1 != s.Y0 { // a gap
			boundary.X, boundary.Y = append(boundary.X, math.NaN(), s.X0), append(boundary.Y, math.NaN(), s.Y0)
		}
		boundary.X, boundary.Y = append(boundary.X, s.X1), append(boundary.Y, s.Y1)
	}
	return append([]Curve{boundary}, m.Curves...)
}

const boundaryName = "true class boundary"

// cased returns the styles of a line of a map that shows on any ground, and of its edge.
// Dashes tell the lines apart.
func (s *styles) cased(c Curve) (edge, inner draw.LineStyle) {
	if c.Kind == Reference {
		return line(1.7, black), line(thinWidth, white)
	}
	i := slices.IndexFunc(s.named, func(known Curve) bool { return known.Name == c.Name })
	return line(2.4, white), draw.LineStyle{Color: black, Width: curveWidth, Dashes: dashes[i%len(dashes)]}
}

// plotters returns the field with its lines and points.
func (m Map) plotters(x, y, scale Axis, over *styles) []plot.Plotter {
	out := []plot.Plotter{&plotter.HeatMap{
		GridXYZ: m.field(x, y, scale), Rasterized: true,
		Palette: ramp(0, 1).Palette(shades), Underflow: belowColor, Overflow: aboveColor, NaN: noColor,
		Min: scale.at(scale.Min), Max: scale.at(scale.Max),
	}}
	for _, c := range m.lines() {
		edge, inner := over.cased(c)
		for _, sty := range []draw.LineStyle{edge, inner} {
			for _, p := range c.pieces(x, y) {
				out = append(out, &plotter.Line{XYs: p.at, LineStyle: sty})
			}
		}
	}
	for _, p := range m.Points {
		if x.holds(p.X) && y.holds(p.Y) {
			at := plotter.XYs{{X: x.at(p.X), Y: y.at(p.Y)}}
			out = append(out, &plotter.Scatter{XYs: at, GlyphStyle: classGlyph(p.Class)})
		}
	}
	return out
}

// mapKeys explains the classes, the lines, and values that the scale cannot show.
func mapKeys(rows []Row, labels Labels, over *styles) (out []key) {
	var below, above, blank, outside int
	var hidden hidden
	for _, r := range rows {
		for _, m := range r.Maps {
			x, y := m.axes(labels)
			hidden.count(x, y, m.Curves)
			for _, p := range m.Points {
				require(p.Class < len(labels.Classes), "class %d of %d", p.Class, len(labels.Classes))
				if !x.holds(p.X) || !y.holds(p.Y) {
					outside++
				}
			}
			for _, z := range m.Z {
				switch {
				case math.IsNaN(z):
					blank++
				case z < r.Scale.Min:
					below++
				case z > r.Scale.Max:
					above++
				}
			}
		}
	}
	for class, name := range labels.Classes {
		out = append(out, markerKey(name, classGlyph(class)))
	}
	for _, c := range over.named {
		edge, inner := over.cased(c)
		out = append(out, key{text: c.Name, width: lineWidth, thumbs: []plot.Thumbnailer{
			&plotter.Polygon{Color: anchors[4]}, &plotter.Line{LineStyle: edge}, &plotter.Line{LineStyle: inner},
		}})
	}
	flag := func(n int, text string, c color.Color) {
		if n > 0 {
			text = fmt.Sprintf("%s (%s)", text, plural(n, "value"))
			out = append(out, areaKey(text, plotter.Polygon{Color: c, LineStyle: line(hairline, black)}))
		}
	}
	flag(below, cmp.Or(labels.Below, "below scale"), belowColor)
	flag(above, "above scale", aboveColor)
	flag(blank, "not a number", noColor)
	return slices.Concat(out, note(outside, "example", " outside the maps"), hidden.notes("maps"))
}

// anchors are colours from dark violet to yellow after the map viridis of
// S. van der Walt and N. Smith (2015).
var anchors = []color.Color{
	rgb(0x440154), rgb(0x472d7b), rgb(0x3b528b), rgb(0x2c728e), rgb(0x21918c),
	rgb(0x28ae80), rgb(0x5ec962), rgb(0xaddc30), rgb(0xfde725),
}

// The colours of values below a scale, pink beside dark violet, and above, dark red
// beside yellow, stand out from their end of it in grey as well.
var belowColor, aboveColor = rgb(0xff7ac8), rgb(0xb10026)

// noColor is that of what is not a number: of no colour at all, and not the page.
var noColor = rgb(0xbdbdbd)

// ramp returns the colours of maps between two values. The lightness L* rises
// linearly, so that equal steps look equal, in grey print too.
func ramp(lo, hi float64) palette.ColorMap {
	out, err := moreland.NewLuminance(anchors)
	require(err == nil, "colour map: %v", err)
	out.SetMin(lo)
	out.SetMax(hi)
	return out
}
