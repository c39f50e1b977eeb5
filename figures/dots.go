package figures

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Dot is a number with an interval. One that is not a number has no dot; one beyond
// the ends of the axis, perhaps infinite, has an arrow at that end. An interval with
// an end that is not a number is left out, and what of it is beyond the axis.
type Dot struct{ Value, Low, High float64 }

// DotPanel is a panel of a dot plot.
type DotPanel struct {
	Title string
	Dots  []Dot // from the top, one for each name
}

// DotPlot is a plot of numbers that have names: a row for each name, beside each
// other panels with a dot in each row (Cleveland, "Graphical methods for data
// presentation: full scale breaks, dot charts, and multibased logging", The American
// Statistician 1984). All panels have one axis. A dot has the style of its name.
type DotPlot struct {
	Names   []string
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
	d.check()
	n := len(d.Names)
	var (
		out   = page{width: pageWidth, label: d.X.Label, keys: d.keys()}
		y     = Axis{Min: -0.7, Max: float64(n) - 0.3}
		names []plot.Tick
		known styles
	)
	if d.Columns == 1 {
		out.width = columnWidth
	}
	d.X.Label = ""
	out.height = func(vg.Length) vg.Length { return dotRow * vg.Length(y.Max-y.Min) }
	for k, name := range d.Names {
		names = append(names, plot.Tick{Value: float64(n - 1 - k), Label: name})
		known.add(Curve{Name: name})
	}
	for i, p := range d.Panels {
		if i%d.Columns == 0 {
			out.rows = append(out.rows, nil)
		}
		next := panel{title: p.Title, x: d.X, y: y, names: names, plotters: d.plotters(p, y, known)}
		out.rows[i/d.Columns] = append(out.rows[i/d.Columns], next)
	}
	return out.figure()
}

// plotters returns the rows of a panel, the mark, and the dots with their intervals.
func (d DotPlot) plotters(p DotPanel, y Axis, known styles) []plot.Plotter {
	out := []plot.Plotter{&plotter.Grid{Horizontal: line(hairline, pale)}}
	if d.X.holds(d.Mark) {
		mark := plotter.XYs{{X: d.X.at(d.Mark), Y: y.Min}, {X: d.X.at(d.Mark), Y: y.Max}}
		out = append(out, within{&plotter.Line{XYs: mark, LineStyle: line(thinWidth, grey)}})
	}
	for k, dot := range p.Dots {
		sty := known.of[d.Names[k]]
		row := float64(len(d.Names) - 1 - k)
		if low, high := max(dot.Low, d.X.Min), min(dot.High, d.X.Max); low < high {
			bar := plotter.XYs{{X: d.X.at(low), Y: row}, {X: d.X.at(high), Y: row}}
			out = append(out, within{&plotter.Line{XYs: bar, LineStyle: line(curveWidth, sty.Color)}})
		}
		if math.IsNaN(dot.Value) {
			continue
		}
		glyph := sty.glyph(markerRadius)
		switch {
		case dot.Value > d.X.Max:
			glyph.Shape = arrow{+1}
		case dot.Value < d.X.Min:
			glyph.Shape = arrow{-1}
		case !dot.apart(d.Mark):
			glyph = sty.hollow()
		}
		at := d.X.at(min(max(dot.Value, d.X.Min), d.X.Max))
		out = append(out, within{&plotter.Scatter{XYs: plotter.XYs{{X: at, Y: row}}, GlyphStyle: glyph}})
	}
	return out
}

// apart tells whether the interval lies on one side of the mark, or there is none.
func (d Dot) apart(mark float64) bool {
	return math.IsNaN(mark) || d.Low > mark || d.High < mark
}

// An arrow points beyond the upper (+1) or the lower (−1) end of an axis, within it.
type arrow struct{ to int }

// DrawGlyph implements draw.GlyphDrawer.
func (a arrow) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	m := marker{corners: 3, turn: math.Pi * float64(1-a.to) / 2, outer: 1.45}
	at.X -= vg.Length(a.to) * m.outer * sty.Radius
	m.DrawGlyph(c, sty, at)
}

// keys explains the dots that are there.
func (d DotPlot) keys() []key {
	var apart, held, beyond bool
	for _, p := range d.Panels {
		for _, dot := range p.Dots {
			switch {
			case math.IsNaN(dot.Value):
			case !d.X.holds(dot.Value):
				beyond = true
			case dot.apart(d.Mark):
				apart = true
			default:
				held = true
			}
		}
	}
	out, dark := []key{{text: d.Key}}, Style{Color: black}
	for _, k := range []struct {
		there bool
		text  string
		glyph draw.GlyphStyle
	}{
		{apart, d.Apart, dark.glyph(markerRadius)},
		{held, d.Held, dark.hollow()},
		{beyond, "beyond the axis", draw.GlyphStyle{Color: black, Radius: markerRadius, Shape: arrow{+1}}},
	} {
		if k.there && k.text != "" {
			out = append(out, markerOf(k.text, k.glyph))
		}
	}
	return out
}

// check panics unless the plot can be drawn.
func (d DotPlot) check() {
	d.X.check()
	require(len(d.Names) > 0 && len(d.Panels) > 0 && d.Columns > 0,
		"dot plot of %d names and %d panels in %d columns", len(d.Names), len(d.Panels), d.Columns)
	for _, p := range d.Panels {
		require(len(p.Dots) == len(d.Names), "panel %q has %d dots for %d names", p.Title, len(p.Dots), len(d.Names))
	}
}
