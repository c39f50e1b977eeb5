package figures

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Dot is a number with an interval. NaN has no dot, a number beyond the ends of the axis an arrow. An
// interval with an end that is NaN is left out.
type Dot struct{ Value, Low, High float64 }

// DotPanel is a panel of a dot plot.
type DotPanel struct {
	Title string
	Dots  []Dot // from the top, one for each name
}

// DotPlot is a plot of named numbers: a row for each name, in panels with a dot in each row and one axis.
type DotPlot struct {
	Names   []string
	Groups  []int // as of [Curve], one for each name
	Panels  []DotPanel
	Columns int // panels beside each other; rows of panels stand below each other

	X   Axis   // linear, with Min and Max; 0 is marked, and dots whose intervals hold it are hollow
	Key string // what a dot and its interval are
	// Apart and Held say in the legend what filled and hollow dots are.
	Apart, Held string
}

// Dots draws the plot as wide as a page, or as a column of text if all of its panels are in one column.
func Dots(d DotPlot) *Figure {
	n := len(d.Names)
	for _, p := range d.Panels {
		if err := sameLength(p.Title, n, len(p.Dots)); err != nil {
			return failed(err)
		}
	}
	styles := styles{of: map[string]style{}}
	for k, name := range d.Names {
		styles.add(Curve{Name: name, Group: d.Groups[k]})
	}
	x, y := d.X, Axis{Min: 0.3 - float64(n), Max: 0.7, rows: strings.Join(d.Names, "\n")}
	x.Label = ""
	out := page{width: pageWidth, high: textHeight * vg.Length(n), labels: []string{d.X.Label, d.Key}}
	if d.Columns == 1 {
		out.width = columnWidth
	}
	for panels := range slices.Chunk(d.Panels, d.Columns) {
		var row []panel
		for _, p := range panels {
			row = append(row, panel{p.Title, x, y, d.plotters(p, y, &styles)})
		}
		out.rows = append(out.rows, row)
	}
	out.keys = []key{
		markerKey(d.Apart, shapes[0], black), markerKey(d.Held, shapes[0].outlined(black), white),
		markerKey("beyond the axis", arrow, black),
	}
	return out.figure()
}

// plotters returns the rows of a panel, the mark, and the dots with their intervals.
func (d DotPlot) plotters(p DotPanel, y Axis, styles *styles) (out []plot.Plotter) {
	x := d.X
	add := func(sty draw.LineStyle, x0, y0, x1, y1 float64) {
		out = append(out, &plotter.Line{XYs: plotter.XYs{{X: x0, Y: y0}, {X: x1, Y: y1}}, LineStyle: sty})
	}
	for k := range p.Dots {
		add(line(hairline, pale), x.Min, -float64(k), x.Max, -float64(k))
	}
	add(line(thinWidth, grey), 0, y.Min, 0, y.Max)
	for k, dot := range p.Dots {
		sty, row := styles.of[d.Names[k]], -float64(k)
		if low, high := max(dot.Low, x.Min), min(dot.High, x.Max); low < high {
			add(line(curveWidth, sty.color), low, row, high, row)
		}
		if !math.IsNaN(dot.Value) {
			at := plotter.XYs{{X: min(max(dot.Value, x.Min), x.Max), Y: row}}
			out = append(out, &plotter.Scatter{XYs: at, GlyphStyle: d.glyph(dot, sty)})
		}
	}
	return out
}

// arrow points to the right, out of the panel at whose edge it is.
var arrow = marker{corners: 3, outer: 1.45, aside: -1.45}

// glyph returns the marker of a dot: beyond the axis an arrow within it.
func (d DotPlot) glyph(dot Dot, sty style) draw.GlyphStyle {
	m, fill := shapes[sty.marker], sty.color
	switch {
	case dot.Value > d.X.Max:
		m = arrow
	case dot.Value < d.X.Min:
		m = marker{corners: 3, outer: arrow.outer, aside: -arrow.aside, turn: math.Pi}
	case !(dot.Low > 0 || dot.High < 0):
		m, fill = m.outlined(sty.color), white
	}
	return m.glyph(fill)
}
