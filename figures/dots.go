package figures

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Dot is a number with an interval. NaN has no dot. A number beyond
// the ends of the axis, perhaps infinite, has an arrow at that end. An interval with
// an end that is NaN is left out, and intervals are cut at the ends of the axis.
type Dot struct{ Value, Low, High float64 }

// DotPanel is a panel of a dot plot.
type DotPanel struct {
	Title string
	Dots  []Dot // from the top, one for each name
}

// DotPlot is a plot of named numbers: a row for each name, in panels side by side
// with a dot in each row (Cleveland, "Graphical methods for data
// presentation: full scale breaks, dot charts, and multibased logging", The American
// Statistician 1984). All panels have one axis. A dot has the style of its name.
type DotPlot struct {
	Names   []string
	Groups  []int // as of [Curve], one for each name; none: no groups
	Panels  []DotPanel
	Columns int // panels beside each other; rows of panels stand below each other

	X    Axis    // Min and Max are given
	Mark float64 // is marked on the axis: dots whose intervals hold it are hollow; NaN: none
	Key  string  // what a dot and its interval are
	// Apart and Held say in the legend what filled and hollow dots are.
	Apart, Held string
}

const dotRow = vg.Length(9) // distance of rows

// Dots draws the plot as wide as a page, or as a column of text if all of its panels
// are in one column.
func Dots(d DotPlot) *Figure {
	d.X.check()
	n := len(d.Names)
	require(n > 0 && len(d.Panels) > 0 && d.Columns > 0,
		"dot plot of %d names and %d panels in %d columns", n, len(d.Panels), d.Columns)
	var (
		out    = page{width: pageWidth, label: d.X.Label, keys: d.keys()}
		y      = Axis{Min: -0.7, Max: float64(n) - 0.3}
		curves []Curve
	)
	if d.Columns == 1 {
		out.width = columnWidth
	}
	d.X.Label = ""
	out.height = func(vg.Length) vg.Length { return dotRow * vg.Length(y.Max-y.Min) }
	for k, name := range d.Names {
		out.names = append(out.names, plot.Tick{Value: float64(n - 1 - k), Label: name})
		curves = append(curves, Curve{Name: name})
		if d.Groups != nil {
			curves[k].Group = d.Groups[k]
		}
	}
	known := stylesOf(curves)
	for panels := range slices.Chunk(d.Panels, d.Columns) {
		var row []panel
		for _, p := range panels {
			require(len(p.Dots) == n, "panel %q has %d dots for %d names", p.Title, len(p.Dots), n)
			row = append(row, panel{title: p.Title, x: d.X, y: y, plotters: d.plotters(p, y, known)})
		}
		out.rows = append(out.rows, row)
	}
	return out.figure()
}

// plotters returns the rows of a panel, the mark, and the dots with their intervals.
func (d DotPlot) plotters(p DotPanel, y Axis, known *styles) []plot.Plotter {
	out := []plot.Plotter{&plotter.Grid{Horizontal: line(hairline, pale)}}
	if d.X.holds(d.Mark) {
		mark := plotter.XYs{{X: d.X.at(d.Mark), Y: y.Min}, {X: d.X.at(d.Mark), Y: y.Max}}
		out = append(out, &plotter.Line{XYs: mark, LineStyle: line(thinWidth, grey)})
	}
	for k, dot := range p.Dots {
		sty, row := known.of[d.Names[k]], float64(len(d.Names)-1-k)
		if low, high := max(dot.Low, d.X.Min), min(dot.High, d.X.Max); low < high {
			bar := plotter.XYs{{X: d.X.at(low), Y: row}, {X: d.X.at(high), Y: row}}
			out = append(out, &plotter.Line{XYs: bar, LineStyle: line(curveWidth, sty.color)})
		}
		if glyph, _ := d.marker(dot, sty); !math.IsNaN(dot.Value) {
			at := plotter.XYs{{X: d.X.at(min(max(dot.Value, d.X.Min), d.X.Max)), Y: row}}
			out = append(out, &plotter.Scatter{XYs: at, GlyphStyle: glyph})
		}
	}
	return out
}

// apart reports whether the interval lies on one side of the mark, or there is no mark.
func (d Dot) apart(mark float64) bool {
	return math.IsNaN(mark) || d.Low > mark || d.High < mark
}

const beyond = "beyond the axis"

// marker returns the marker of a dot in a style, beyond the axis an arrow within it, and
// what that says.
func (d DotPlot) marker(dot Dot, sty style) (glyph draw.GlyphStyle, says string) {
	glyph = sty.glyph(markerRadius)
	switch {
	case dot.Value > d.X.Max:
		glyph.Shape = marker{corners: 3, outer: 1.45, aside: -1.45}
		return glyph, beyond
	case dot.Value < d.X.Min:
		glyph.Shape = marker{corners: 3, outer: 1.45, aside: +1.45, turn: math.Pi}
		return glyph, beyond
	case dot.apart(d.Mark):
		return glyph, d.Apart
	}
	return outlined(shapes[sty.marker], white, sty.color), d.Held
}

// keys returns the legend keys of the dots in use.
func (d DotPlot) keys() []key {
	there := map[string]draw.GlyphStyle{}
	for _, p := range d.Panels {
		for _, dot := range p.Dots {
			if glyph, says := d.marker(dot, style{color: black}); !math.IsNaN(dot.Value) {
				there[says] = glyph
			}
		}
	}
	out := []key{{text: d.Key}}
	for _, says := range []string{d.Apart, d.Held, beyond} {
		if glyph, ok := there[says]; ok && says != "" {
			out = append(out, markerKey(says, glyph))
		}
	}
	return out
}
