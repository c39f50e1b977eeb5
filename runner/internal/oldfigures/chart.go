package figures

import (
	"fmt"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Axis is a scaled edge of a chart.
type Axis struct {
	Label string
	Log   bool
	// Min and Max are the ends. Where both are zero they come from the data:
	// of all charts of the column for X, of the row for Y, that have an axis
	// with the same label and kind. So such charts can be compared.
	Min, Max float64
}

// Chart is a panel of curves.
type Chart struct {
	Title  string
	X, Y   Axis
	Curves []Curve
}

// chartAspect is the height of the data area of a chart in its width.
const chartAspect = vg.Length(0.78)

// Charts draws rows of charts on one page, one chart as wide as a column of
// text. All data areas have one size and stand in straight columns; they are
// squares if every chart has the same X and Y, as a Q–Q plot. An axis
// with the label and the ends of that below it, or to its left, has no text of
// its own; a title that repeats the one above it in the column is left out.
// The legend at the foot explains the curves of all charts, and counts the
// points that have no place in them. The charts must not change until the last
// Encode.
func Charts(rows [][]Chart) *Figure {
	known := checkCharts(rows)
	var (
		page    = sheet{aspect: chartAspect, legend: aligned(painter{looks: known}.signs()), powers: true}
		missing missing
		squares = true
	)
	for i, r := range rows {
		var panels []panel
		for j, c := range r {
			p := painter{looks: known, window: window{x: extentX(rows, j, c.X), y: extentY(rows[i], c.Y)}}
			missing.count(p.window, c.Curves)
			squares = squares && p.x == p.y
			panels = append(panels, panel{
				title: c.Title, x: edge{p.x, c.X.Label}, y: edge{p.y, c.Y.Label},
				draw: func(dc draw.Canvas, area vg.Rectangle) {
					p.area = area
					frame(dc, area)
					p.draw(dc, c.Curves)
				},
			})
			if j == len(r)-1 {
				_, after := panels[j].x.overhang(narrow)
				page.margin = max(page.margin, pageEdge+after)
			}
		}
		page.rows = append(page.rows, panels)
	}
	if squares {
		page.aspect = 1
	}
	page.legend = append(page.legend, missing.entries("charts")...)
	return page.figure()
}

// checkCharts panics unless the rows can be drawn, and returns the looks of
// their curves.
func checkCharts(rows [][]Chart) *looks {
	if len(rows) == 0 {
		panic("figures: page without rows")
	}
	known := new(looks)
	for i, r := range rows {
		if len(r) == 0 {
			panic(fmt.Sprintf("figures: row %d has no charts", i))
		}
		for _, c := range r {
			for _, a := range []Axis{c.X, c.Y} {
				if !a.fromData() {
					a.extent().check("axis")
				}
			}
			for _, curve := range c.Curves {
				curve.check()
				known.add(curve, maxCurves)
			}
		}
	}
	return known
}

// fromData tells whether an axis has no ends of its own.
func (a Axis) fromData() bool { return a.Min == 0 && a.Max == 0 }

func (a Axis) extent() extent { return extent{a.Min, a.Max, a.Log} }

// extentX returns the ends of the X axis of a chart in a column.
func extentX(rows [][]Chart, column int, a Axis) extent {
	if !a.fromData() {
		return a.extent()
	}
	data := newReach(a.Log)
	for _, r := range rows {
		if column < len(r) && r[column].X == a {
			for _, c := range r[column].Curves {
				data.add(c, c.X)
			}
		}
	}
	return data.axis()
}

// extentY returns the ends of the Y axis of a chart in a row.
func extentY(row []Chart, a Axis) extent {
	if !a.fromData() {
		return a.extent()
	}
	data := newReach(a.Log)
	for _, chart := range row {
		if chart.Y == a {
			for _, c := range chart.Curves {
				data.add(c, c.Y, c.Low, c.High)
			}
		}
	}
	return data.axis()
}
