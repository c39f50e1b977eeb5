package figures

import (
	"fmt"
	"image"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Row is a row of maps that share a scale.
type Row struct {
	Scale Scale
	Maps  []Map
}

// Labels are the words of a figure of maps. What is left empty gets the
// default.
type Labels struct {
	X, Y    string   // the axes; "$x₁$" and "$x₂$"
	Classes []string // the classes from 0 on, explained even if none is shown; "class 1", "class 2", ...
	Below   string   // what it means to be below a scale; "below scale"
}

func (l Labels) class(i int) string {
	if i < len(l.Classes) && l.Classes[i] != "" {
		return l.Classes[i]
	}
	return fmt.Sprintf("class %d", i+1)
}

func (l Labels) below() string {
	if l.Below != "" {
		return l.Below
	}
	return "below scale"
}

const (
	barGap   = vg.Length(6)
	barWidth = vg.Length(7)
)

// Single draws one map with its colour bar, as wide as a column of text.
func Single(m Map, s Scale, labels Labels) *Figure {
	return Page([]Row{{s, []Map{m}}}, labels)
}

// Page draws rows of maps on one page. All data areas are squares of one size
// and stand in straight columns. A row has one colour bar; axes that are those
// of the map below, or to the left, have no text of their own; a title that
// repeats the one above it in the column is left out. The maps must not change
// until the last Encode.
func Page(rows []Row, labels Labels) *Figure {
	check(rows)
	known := mapLooks(rows)
	if labels.X == "" {
		labels.X = "$x₁$"
	}
	if labels.Y == "" {
		labels.Y = "$x₂$"
	}
	page := sheet{aspect: 1, legend: mapLegend(rows, labels)}
	var room vg.Length // for the tick labels of the bars
	for i, r := range rows {
		room = max(room, widest(r.Scale.ticks()))
		var panels []panel
		for _, m := range r.Maps {
			page.powers = page.powers || i == 0 && (m.LogY || r.Scale.Log)
			panels = append(panels, panel{
				title: m.Title, x: edge{m.extentX(), labels.X}, y: edge{m.extentY(), labels.Y},
				draw: func(dc draw.Canvas, area vg.Rectangle) { m.draw(dc, area, r.Scale, known) },
			})
		}
		page.rows = append(page.rows, panels)
	}
	page.margin = barGap + barWidth + room + tickLength + 2*textGap + lineHeight() + pageEdge
	page.beside = func(dc draw.Canvas, row int, area vg.Rectangle) {
		x := area.Max.X + up(barGap)
		area.Min.X, area.Max.X = x, x+up(barWidth)
		rows[row].Scale.draw(dc, area, room)
	}
	return page.figure()
}

// check panics unless the rows can be drawn.
func check(rows []Row) {
	if len(rows) == 0 {
		panic("figures: page without rows")
	}
	for i, r := range rows {
		if len(r.Maps) == 0 {
			panic(fmt.Sprintf("figures: row %d has no maps", i))
		}
		r.Scale.extent().check("scale")
		for _, m := range r.Maps {
			m.check()
		}
	}
}

// mapLooks gives the curves of a page their looks.
func mapLooks(rows []Row) *looks {
	out := new(looks)
	for _, r := range rows {
		for _, m := range r.Maps {
			for _, c := range m.Curves {
				out.add(c, maxMapCurves)
			}
		}
	}
	return out
}

func (s Scale) extent() extent { return extent{s.Min, s.Max, s.Log} }

func (s Scale) ticks() []tick { return s.extent().ticks(tickCount) }

// draw draws the scale as a colour bar.
func (s Scale) draw(dc draw.Canvas, area vg.Rectangle, room vg.Length) {
	img := image.NewPaletted(image.Rect(0, 0, 1, shades), colors())
	for i := range shades {
		img.SetColorIndex(0, shades-1-i, uint8(i))
	}
	dc.DrawImage(area, img)
	frame(dc, area)
	axis{
		side: right, edge: edge{s.extent(), s.Label}, ticks: s.ticks(), room: room,
	}.draw(dc, area)
}
