package figures

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/text"
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
// Statistician 1984). All panels have one axis.
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

const (
	dotRow   = vg.Length(8.6) // distance of rows
	panelGap = vg.Length(7)
)

// Figure draws the plot as wide as a page, or as a column of text if all of its
// panels are in one column.
func (d DotPlot) Figure() *Figure {
	d.check()
	var (
		name  = words(textSize, text.XRight, text.YCenter)
		label = words(labelSize, text.XCenter, text.YTop)
		e     = edge{extent: d.X.extent()}
		width = down(pageWidth)
		key   legend
		left  vg.Length
	)
	if d.Columns == 1 {
		width = down(columnWidth)
	}
	for _, n := range d.Names {
		left = max(left, name.Width(n))
	}
	left = up(left + 2*textGap + pageEdge)
	key = newLegend(d.legend(), width-2*pageEdge)
	before, after := e.overhang(narrow)
	gap := max(panelGap, before+after+labelApart)
	side := down((width - left - pageEdge - after - gap*vg.Length(d.Columns-1)) / vg.Length(d.Columns))
	rows := (len(d.Panels) + d.Columns - 1) / d.Columns
	area := up(dotRow * (vg.Length(len(d.Names)) + 0.4))
	foot := up(tickLength + 1 + words(tickSize, 0, 0).Height("0"))
	bottom := up(pageEdge + key.height() + textGap + lineHeight())
	row := area + foot // height of a row of panels
	if slices.ContainsFunc(d.Panels, func(p DotPanel) bool { return p.Title != "" }) {
		row += up(titleSpace)
	} else {
		row += dot
	}
	return &Figure{width: width, height: up(bottom + row*vg.Length(rows)), draw: func(dc draw.Canvas) {
		for i, p := range d.Panels {
			at := box(left+vg.Length(i%d.Columns)*up(side+gap), bottom+row*vg.Length(rows-1-i/d.Columns)+foot, side, area)
			d.draw(dc, at, p, e)
			if i%d.Columns == 0 {
				for k, n := range d.Names {
					dc.FillText(name, vg.Point{X: at.Min.X - 2*textGap, Y: rowOf(at, k)}, n)
				}
			}
		}
		dc.FillText(label, vg.Point{X: (left + width) / 2, Y: bottom}, d.X.Label)
		key.draw(dc, vg.Point{X: pageEdge, Y: pageEdge + key.height()})
	}}
}

// rowOf returns the height of the middle of row k, from 0 at the top.
func rowOf(area vg.Rectangle, k int) vg.Length {
	return area.Max.Y - dotRow*(vg.Length(k)+0.7)
}

// draw draws a panel: guides first, then the mark, intervals, and dots over all.
func (d DotPlot) draw(dc draw.Canvas, area vg.Rectangle, p DotPanel, e edge) {
	w := window{x: e.extent, y: extent{0, 1, false}, area: area}
	x := func(v float64) vg.Length { return w.at(min(max(v, e.lo), e.hi), 0).X }
	for k := range d.Names {
		y := rowOf(area, k)
		dc.StrokeLines(line(hairline, shade), []vg.Point{{X: area.Min.X, Y: y}, {X: area.Max.X, Y: y}})
	}
	if e.holds(d.Mark) {
		dc.StrokeLines(line(referenceWidth, referenceInk), []vg.Point{{X: x(d.Mark), Y: area.Min.Y}, {X: x(d.Mark), Y: area.Max.Y}})
	}
	frame(dc, area)
	axis{side: bottom, edge: e, ticks: e.xTicks(area.Size().X)}.draw(dc, area)
	if p.Title != "" {
		drawTitle(dc, area, p.Title)
	}
	for k, dot := range p.Dots {
		y := rowOf(area, k)
		if low, high := max(dot.Low, e.lo), min(dot.High, e.hi); low < high {
			dc.StrokeLines(line(2*hairline, ink), []vg.Point{{X: x(low), Y: y}, {X: x(high), Y: y}})
		}
		switch at := (vg.Point{X: x(dot.Value), Y: y}); {
		case math.IsNaN(dot.Value):
		case !e.holds(dot.Value):
			drawArrow(dc, at, dot.Value > e.hi)
		case dot.apart(d.Mark):
			drawMarker(dc, at, filledDot)
		default:
			drawMarker(dc, at, hollowDot)
		}
	}
}

// The numbers of the markers that are a white and a black circle.
const hollowDot, filledDot = 0, 10

// apart tells whether the interval lies on one side of the mark, or there is none.
func (d Dot) apart(mark float64) bool {
	return math.IsNaN(mark) || d.Low > mark || d.High < mark
}

// drawArrow draws an arrow that points beyond an end of the axis, within it.
func drawArrow(dc draw.Canvas, at vg.Point, up bool) {
	shape := markerShape{3, 0, 1.45}
	in := -1.45 * markerRadius
	if !up {
		shape.turn, in = math.Pi, -in
	}
	dc.SetColor(ink)
	dc.Fill(shape.path(vg.Point{X: at.X + in, Y: at.Y}, markerRadius))
}

// legend explains the signs that are there.
func (d DotPlot) legend() []entry {
	sign := func(text string, show func(draw.Canvas, vg.Point)) entry {
		return entry{text: text, width: 3 * markerRadius, draw: func(dc draw.Canvas, box vg.Rectangle) { show(dc, middle(box)) }}
	}
	out := []entry{{text: d.Key}}
	var apart, held, beyond bool
	for _, p := range d.Panels {
		for _, dot := range p.Dots {
			switch {
			case math.IsNaN(dot.Value):
			case dot.Value < d.X.Min || dot.Value > d.X.Max:
				beyond = true
			case dot.apart(d.Mark):
				apart = true
			default:
				held = true
			}
		}
	}
	if apart && d.Apart != "" {
		out = append(out, sign(d.Apart, func(dc draw.Canvas, at vg.Point) { drawMarker(dc, at, filledDot) }))
	}
	if held && d.Held != "" {
		out = append(out, sign(d.Held, func(dc draw.Canvas, at vg.Point) { drawMarker(dc, at, hollowDot) }))
	}
	if beyond {
		out = append(out, sign("beyond the axis", func(dc draw.Canvas, at vg.Point) {
			drawArrow(dc, vg.Point{X: at.X + markerRadius, Y: at.Y}, true)
		}))
	}
	return out
}

// check panics unless the plot can be drawn.
func (d DotPlot) check() {
	if len(d.Names) == 0 || len(d.Panels) == 0 || d.Columns < 1 || d.Columns > len(d.Panels) {
		panic(fmt.Sprintf("figures: dot plot of %d names and %d panels in %d columns", len(d.Names), len(d.Panels), d.Columns))
	}
	d.X.extent().check("axis of a dot plot")
	for _, p := range d.Panels {
		if len(p.Dots) != len(d.Names) {
			panic(fmt.Sprintf("figures: panel %q has %d dots for %d names", p.Title, len(p.Dots), len(d.Names)))
		}
		for _, dot := range p.Dots {
			if dot.Low > dot.Value || dot.Value > dot.High {
				panic(fmt.Sprintf("figures: panel %q: %g is not within %g and %g", p.Title, dot.Value, dot.Low, dot.High))
			}
		}
	}
}
