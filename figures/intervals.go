package figures

import (
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
	Key              string // its entry in the legend: intervals of one key have one marker
	Value, Low, High float64
	Threshold        float64
	Above            bool // the right side of the threshold is above it, else below
}

// IntervalGroup is what several intervals are about.
type IntervalGroup struct {
	Title     string
	Note      string // what they say, to the right
	Intervals []Interval
}

const (
	titleWidth = vg.Length(205) // of groups
	noteWidth  = vg.Length(62)
	groupRow   = vg.Length(23)
	farthest   = 3 // decades of the axis; what is farther is at its end
)

var rightColor, openColor = rgb(0xf4f4f4), rgb(0xdddddd)

// Intervals draws a row for each group, as wide as a page: how far on the right side of its
// threshold each number is, in units of its interval up to there. So an interval with the
// threshold in it is within ±1. Numbers without an interval are left out.
func Intervals(groups []IntervalGroup) *Figure {
	const end = 1 + farthest + 0.2
	var (
		y     = Axis{Min: -0.5, Max: float64(len(groups)) - 0.5}
		x     = Axis{Label: "distance from the threshold, in units of the interval (logarithmic beyond ±1)", Min: -end, Max: end}
		p     = panel{x: x, y: y}
		keys  []key
		blank int
		sty   = letters(smallSize, text.XLeft, text.YCenter)
		right = plotter.XYs{{X: 0, Y: y.Min}, {X: end, Y: y.Min}, {X: end, Y: y.Max}, {X: 0, Y: y.Max}}
		open  = plotter.XYs{{X: -1, Y: y.Min}, {X: 1, Y: y.Min}, {X: 1, Y: y.Max}, {X: -1, Y: y.Max}}
	)
	p.plotters = []plot.Plotter{
		&plotter.Polygon{XYs: []plotter.XYs{right}, Color: rightColor},
		&plotter.Polygon{XYs: []plotter.XYs{open}, Color: openColor},
		&plotter.Line{XYs: plotter.XYs{right[0], right[3]}, LineStyle: line(hairline, black)},
	}
	p.marks = []plot.Tick{{Label: "0"}, {Value: 1, Label: "1"}, {Value: -1, Label: "−1"}}
	for k := range farthest {
		label, at := "10"+superscript(k+1), float64(k+2)
		p.marks = append(p.marks, plot.Tick{Value: at, Label: label}, plot.Tick{Value: -at, Label: "−" + label})
	}
	for i, g := range groups {
		row := float64(len(groups) - 1 - i)
		below := plotter.XYs{{X: -end, Y: row - 0.5}, {X: end, Y: row - 0.5}}
		p.plotters = append(p.plotters, &plotter.Line{XYs: below, LineStyle: line(hairline, grey)})
		p.names = append(p.names, plot.Tick{Value: row, Label: wrap(g.Title, sty, titleWidth)})
		for k, v := range g.Intervals {
			key := slices.IndexFunc(keys, func(k key) bool { return k.text == v.Key })
			at := v.distance()
			if math.IsNaN(at) {
				blank++
				continue
			}
			if key < 0 {
				key, keys = len(keys), append(keys, markerKey(v.Key, classGlyph(len(keys))))
			}
			apart := 0.6 / float64(max(len(g.Intervals)-1, 1)) // below each other, as marks may be at one place
			xy := plotter.XYs{{X: distance(at), Y: row + 0.3 - apart*float64(k)}}
			p.plotters = append(p.plotters, &plotter.Scatter{XYs: xy, GlyphStyle: classGlyph(key)})
		}
	}
	keys = slices.Concat(keys, []key{
		areaKey("where the claim holds", plotter.Polygon{Color: rightColor}),
		areaKey("where the threshold is in the interval", plotter.Polygon{Color: openColor}),
		{text: "at an end: as far or farther"},
	}, note(blank, "number", " without an interval, not shown"))
	out := page{
		rows: [][]panel{{p}}, width: pageWidth, keys: keys, margin: noteWidth,
		height: func(vg.Length) vg.Length { return groupRow * vg.Length(len(groups)) },
	}
	out.beside = func(area draw.Canvas, _ int) {
		for i, g := range groups {
			at := area.Y((float64(len(groups)-1-i) - y.Min) / (y.Max - y.Min))
			write(area, sty, vg.Point{X: area.Max.X + 2*textGap, Y: at}, wrap(g.Note, sty, noteWidth-2*textGap))
		}
	}
	return out.figure()
}

// distance returns how far on the right side of the threshold the number is, in units of its
// interval towards it.
func (v Interval) distance() float64 {
	by, reach := v.Value-v.Threshold, v.Value-v.Low
	if by < 0 {
		reach = v.High - v.Value
	}
	if !v.Above {
		by = -by
	}
	return by / reach
}

// distance returns the place of a distance on an axis that is linear up to 1.
func distance(d float64) float64 {
	if far := math.Abs(d); far > 1 {
		d = math.Copysign(1+min(math.Log10(far), farthest), d)
	}
	return d
}
