package figures

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Interval is a number with an interval, held against a threshold.
type Interval struct {
	Text string // what it is, to its left
	Note string // what it says, to its right
	Key  string // its entry in the legend: intervals of one key have one marker

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
	stripWidth = vg.Length(95)
	noteWidth  = vg.Length(132)
	stripGap   = vg.Length(8)
	stripEnd   = 0.9            // of half the strip, where the farthest end is
	stripRow   = vg.Length(2.2) // between intervals
	groupGap   = vg.Length(5)
)

// Intervals draws groups of intervals below each other, as wide as a page. Each has
// a scale of its own, on which the threshold is in the middle, the right side of it,
// shaded, to the right, and its farther end near the end of the strip.
func Intervals(groups []IntervalGroup) *Figure {
	const left = pageWidth - stripWidth - noteWidth - 2*stripGap - 2*pageEdge
	var (
		names   []string // of keys
		keys    []key
		sides   []plot.Plotter
		markers []plot.Plotter
		texts   []func(strip draw.Canvas)
		y       vg.Length // from the top, downwards
		heading = letters(textSize, text.XLeft, text.YTop)
		body    = letters(smallSize, text.XLeft, text.YTop)
	)
	// set sets a text into a column, right of the left edge of the strip, and returns its height.
	set := func(sty text.Style, x, width vg.Length, s string) vg.Length {
		top := y
		s = wrap(s, sty, width)
		texts = append(texts, func(strip draw.Canvas) {
			write(strip, sty, vg.Point{X: strip.Min.X + x, Y: strip.Max.Y + top}, s)
		})
		return sty.Height(s)
	}
	for _, g := range groups {
		y -= set(heading, -left-stripGap, pageWidth-2*pageEdge, g.Title) + stripRow
		for _, v := range g.Intervals {
			i := slices.Index(names, v.Key)
			if i < 0 {
				i = len(names)
				names, keys = append(names, v.Key), append(keys, markerKey(v.Key, classGlyph(i)))
			}
			row := body.Height("x") + stripRow // the strip is against the first line of the text
			bottom, top := float64(y-row+stripRow/2), float64(y+stripRow/2)
			side := plotter.XYs{{X: 0, Y: bottom}, {X: 1, Y: bottom}, {X: 1, Y: top}, {X: 0, Y: top}}
			sides = append(sides, &plotter.Polygon{XYs: []plotter.XYs{side}, Color: pale},
				&plotter.Line{XYs: plotter.XYs{side[0], side[3]}, LineStyle: line(hairline, black)})
			markers = append(markers, v.plotters((bottom+top)/2, classGlyph(i))...)
			what := set(body, -left-stripGap, left, v.Text)
			y -= max(what, set(body, stripWidth+stripGap, noteWidth, v.Note)) + stripRow
		}
		y -= groupGap
	}
	const claim = "the side of the threshold that shows the claim; every row has its own scale"
	foot := newLegend(append(keys, areaKey(claim, plotter.Polygon{Color: pale})), pageWidth-2*pageEdge)
	base := 2*pageEdge + foot.height()
	plt := newPlot(Axis{Min: -1, Max: 1}, Axis{Max: 1})
	addWithin(plt, slices.Concat(sides, markers)...)
	plt.HideAxes()
	plt.Y.Min, plt.Y.Max = float64(y), 0
	return &Figure{width: pageWidth, height: base - y + pageEdge, draw: func(dc draw.Canvas) {
		foot.draw(dc, pageEdge)
		dc.Rectangle = box(pageEdge+left+stripGap, base, stripWidth, -y)
		plt.Draw(dc)
		for _, write := range texts {
			write(dc)
		}
	}}
}

// places returns where on the strip, from −1 to 1, the number and the ends of its
// interval are, those that are infinite at its ends; NaN, if one of them is.
func (v Interval) places() (value, low, high float64) {
	right, far := 1., 0.
	if !v.Above {
		right = -1
	}
	for _, x := range []float64{v.Value, v.Low, v.High} {
		if !math.IsInf(x, 0) {
			far = max(far, math.Abs(x-v.Threshold))
		}
	}
	place := func(x float64) float64 { return min(max(right*(x-v.Threshold)/cmp.Or(far, 1), -1), 1) }
	return place(v.Value), place(v.Low), place(v.High)
}

// plotters returns the interval at a height of the plot.
func (v Interval) plotters(y float64, glyph draw.GlyphStyle) []plot.Plotter {
	value, low, high := v.places()
	if math.IsNaN(value) {
		return nil
	}
	at := plotter.XYs{{X: stripEnd * value, Y: y}}
	low, high = min(low, high), max(low, high)
	reach := plotter.XErrors{{Low: stripEnd * (value - low), High: stripEnd * (high - value)}}
	bar := &plotter.XErrorBars{XYs: at, XErrors: reach, LineStyle: line(curveWidth, black), CapWidth: capWidth}
	return []plot.Plotter{bar, &plotter.Scatter{XYs: at, GlyphStyle: glyph}}
}
