package figures

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Interval is a number with an interval, held against a threshold.
type Interval struct {
	Text string // what it is, to its left
	Note string // what it says, to its right
	Sign string // its entry in the legend: intervals of one sign have one marker

	Value, Low, High float64 // with one that is not a number there is no marker
	Threshold        float64
	Above            bool // the right side of the threshold is above it, else below
}

// IntervalGroup is what several intervals are about.
type IntervalGroup struct {
	Title     string
	Intervals []Interval
}

// The columns of intervals: their text, a strip with the threshold in its middle,
// and their notes.
const (
	stripWidth = vg.Length(90)
	noteWidth  = vg.Length(126)
	stripGap   = vg.Length(8)
	stripPad   = vg.Length(5) // within the strip, at its ends
	stripRow   = vg.Length(2) // between intervals
	groupGap   = vg.Length(6)
)

var shade = color.NRGBA{R: 0xec, G: 0xec, B: 0xec, A: 0xff}

// Intervals draws groups of intervals below each other, as wide as a page. Each has
// a scale of its own, on which the threshold is in the middle, the right side of it,
// shaded, to the right, and its farther end at the end of the strip.
func Intervals(groups []IntervalGroup) *Figure {
	known := checkIntervals(groups)
	left := down(pageWidth) - stripWidth - noteWidth - 2*stripGap - 2*pageEdge
	var (
		title = words(labelSize, text.XLeft, text.YTop)
		body  = words(textSize, text.XLeft, text.YTop)
		key   = newLegend(intervalLegend(known), pageWidth-2*pageEdge)
	)
	// The draw functions of the page from the top, each with what it takes of height.
	type item struct {
		height vg.Length
		draw   func(dc draw.Canvas, top vg.Length)
	}
	var items []item
	for _, g := range groups {
		heading := wrap(g.Title, title, pageWidth-2*pageEdge)
		items = append(items, item{title.Height(heading) + stripRow, func(dc draw.Canvas, top vg.Length) {
			dc.FillText(title, vg.Point{X: pageEdge, Y: top}, heading)
		}})
		for i, v := range g.Intervals {
			what, note := wrap(v.Text, body, left), wrap(v.Note, body, noteWidth)
			height := max(body.Height(what), body.Height(note)) + stripRow
			if i == len(g.Intervals)-1 {
				height += groupGap
			}
			items = append(items, item{height, func(dc draw.Canvas, top vg.Length) {
				dc.FillText(body, vg.Point{X: pageEdge, Y: top}, what)
				x := pageEdge + left + stripGap
				dc.FillText(body, vg.Point{X: x + stripWidth + stripGap, Y: top}, note)
				// Against the first line of the text.
				v.draw(dc, box(x, top-body.Height("x")-stripRow/2, stripWidth, body.Height("x")+stripRow), known[v.Sign])
			}})
		}
	}
	height := key.height() + 2*pageEdge + textGap
	for _, i := range items {
		height += i.height
	}
	return &Figure{width: down(pageWidth), height: up(height), draw: func(dc draw.Canvas) {
		top := up(height) - pageEdge
		for _, i := range items {
			i.draw(dc, top)
			top -= i.height
		}
		key.draw(dc, vg.Point{X: pageEdge, Y: pageEdge + key.height()})
	}}
}

// checkIntervals panics unless the groups can be drawn, and numbers their signs in
// the order of appearance.
func checkIntervals(groups []IntervalGroup) map[string]int {
	known := map[string]int{}
	for _, g := range groups {
		for _, v := range g.Intervals {
			if v.Low > v.Value || v.Value > v.High {
				panic(fmt.Sprintf("figures: interval %q: %g is not within %g and %g", v.Text, v.Value, v.Low, v.High))
			}
			if math.IsNaN(v.Threshold) || math.IsInf(v.Threshold, 0) {
				panic(fmt.Sprintf("figures: interval %q: threshold %g", v.Text, v.Threshold))
			}
			if _, ok := known[v.Sign]; !ok {
				known[v.Sign] = len(known)
			}
		}
	}
	if len(known) == 0 {
		panic("figures: no intervals")
	}
	if len(known) > maxClasses {
		panic(fmt.Sprintf("figures: %d signs of intervals; there are %d", len(known), maxClasses))
	}
	return known
}

// places returns where on the strip, from −1 to 1, the number and the ends of its
// interval are, those that are infinite at its ends. ok is false if one of them is
// not a number.
func (v Interval) places() (value, low, high float64, ok bool) {
	side := func(x float64) float64 {
		if v.Above {
			return x - v.Threshold
		}
		return v.Threshold - x
	}
	value, low, high = side(v.Value), side(v.Low), side(v.High)
	if math.IsNaN(value) || math.IsNaN(low) || math.IsNaN(high) {
		return 0, 0, 0, false
	}
	var far float64
	for _, x := range []float64{value, low, high} {
		if !math.IsInf(x, 0) {
			far = max(far, math.Abs(x))
		}
	}
	if far == 0 {
		far = 1
	}
	place := func(x float64) float64 { return min(max(x/far, -1), 1) }
	return place(value), place(low), place(high), true
}

// draw draws the interval in its part of the strip, with the marker of that number.
func (v Interval) draw(dc draw.Canvas, area vg.Rectangle, marker int) {
	centre := middle(area)
	fill(dc, vg.Rectangle{Min: vg.Point{X: centre.X, Y: area.Min.Y}, Max: area.Max}, shade)
	dc.StrokeLines(line(hairline, ink), []vg.Point{{X: centre.X, Y: area.Min.Y}, {X: centre.X, Y: area.Max.Y}})
	value, low, high, ok := v.places()
	if !ok {
		return
	}
	at := func(place float64) vg.Point {
		return vg.Point{X: centre.X + vg.Length(place)*(area.Size().X/2-stripPad), Y: centre.Y}
	}
	lines := [][]vg.Point{{at(low), at(high)}}
	for _, end := range []vg.Point{at(low), at(high)} {
		lines = append(lines, []vg.Point{{X: end.X, Y: end.Y - barCap/2}, {X: end.X, Y: end.Y + barCap/2}})
	}
	dc.StrokeLines(line(2*hairline, ink), lines...)
	drawMarker(dc, at(value), marker)
}

// intervalLegend explains the signs and the strip.
func intervalLegend(known map[string]int) []entry {
	out := make([]entry, len(known))
	for sign, i := range known {
		out[i] = entry{text: sign, width: 3 * markerRadius, draw: func(dc draw.Canvas, box vg.Rectangle) {
			drawMarker(dc, middle(box), i)
		}}
	}
	return append(out, entry{text: "the side of the threshold that shows the claim; every row has its own scale", width: swatchWide, draw: func(dc draw.Canvas, box vg.Rectangle) {
		fill(dc, box, shade)
	}})
}

// wrap breaks a text at spaces into lines of at most a width. A longer word has a
// line of its own.
func wrap(s string, sty text.Style, width vg.Length) string {
	var lines []string
	for _, word := range strings.Fields(s) {
		if n := len(lines); n > 0 && sty.Width(lines[n-1]+" "+word) <= width {
			lines[n-1] += " " + word
			continue
		}
		lines = append(lines, word)
	}
	return strings.Join(lines, "\n")
}
