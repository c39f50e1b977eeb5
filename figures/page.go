package figures

import (
	"fmt"
	"image"

	"gonum.org/v1/plot/text"
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
	mapGap     = vg.Length(12) // between neighbouring maps
	rowGap     = vg.Length(11)
	barGap     = vg.Length(6)
	barWidth   = vg.Length(7)
	titleSpace = vg.Length(13)
	pageEdge   = vg.Length(1.5)
	tickCount  = 5
)

// Single draws one map with its colour bar, as wide as a column of text.
func Single(m Map, s Scale, labels Labels) *Figure {
	return Page([]Row{{s, []Map{m}}}, labels)
}

// Page draws rows of maps on one page. All data areas are squares of one size
// and stand in straight columns. A row has one colour bar; axes have their
// text at the outer edge only; a title that repeats the one above it in the
// column is left out. The maps must not change until the last Encode.
func Page(rows []Row, labels Labels) *Figure {
	columns := check(rows)
	if labels.X == "" {
		labels.X = "$x₁$"
	}
	if labels.Y == "" {
		labels.Y = "$x₂$"
	}
	width := down(min(pageWidth, columnWidth*vg.Length(columns)))

	// The room for text beside the maps is that of the row that needs most.
	var leftRoom, rightRoom vg.Length
	for _, r := range rows {
		leftRoom = max(leftRoom, widest(yTicks(r.Maps[0])))
		rightRoom = max(rightRoom, widest(r.Scale.ticks()))
	}
	name := words(labelSize, text.XLeft, text.YBottom).Height("x")
	text := tickLength + 2*textGap + name + pageEdge
	leftEdge := up(leftRoom + text)
	rightEdge := barGap + barWidth + rightRoom + text
	side := down((width - leftEdge - rightEdge - mapGap*vg.Length(columns-1)) / vg.Length(columns))
	pitch := up(side + mapGap)
	bar := leftEdge + vg.Length(columns-1)*pitch + side + up(barGap)

	key := newLegend(mapLegend(rows, labels), width-leftEdge-pageEdge)
	foot := tickLength + 1 + words(tickSize, 0, 0).Height("0") + name + pageEdge
	if len(key) > 0 {
		foot += key.height() + textGap
	}
	foot = up(foot)

	// From the bottom up, so that every data area stands on whole dots.
	floor := make([]vg.Length, len(rows))
	y := foot
	for i := len(rows) - 1; i >= 0; i-- {
		floor[i] = y
		y += side
		if titled(rows, i) {
			y += up(titleSpace)
		}
		if i > 0 {
			y += up(rowGap)
		}
	}
	if !titled(rows, 0) {
		y += up(tickSize / 2) // half a tick label reaches above the map
	}

	return &Figure{width: width, height: up(y), draw: func(dc draw.Canvas) {
		for i, r := range rows {
			for j, m := range r.Maps {
				area := square(leftEdge+vg.Length(j)*pitch, floor[i], side)
				m.draw(dc, area, r.Scale)
				xTicks := ticks(m.X[0], m.X[len(m.X)-1], tickCount)
				axis{
					side: bottom, lo: m.X[0], hi: m.X[len(m.X)-1], ticks: xTicks,
					bare: i+1 < len(rows) && j < len(rows[i+1].Maps), label: labels.X,
				}.draw(dc, area)
				axis{
					side: left, lo: m.Y[0], hi: m.Y[len(m.Y)-1], ticks: yTicks(m),
					bare: j > 0, label: labels.Y, room: leftRoom,
				}.draw(dc, area)
				if !repeated(rows, i, j) {
					drawTitle(dc, area, m.Title)
				}
			}
			area := square(bar, floor[i], side)
			area.Max.X = bar + up(barWidth)
			r.Scale.draw(dc, area, rightRoom)
		}
		key.draw(dc, vg.Point{X: leftEdge, Y: pageEdge + key.height()})
	}}
}

// check panics unless the rows can be drawn, and returns the number of
// columns.
func check(rows []Row) (columns int) {
	if len(rows) == 0 {
		panic("figures: page without rows")
	}
	for i, r := range rows {
		if len(r.Maps) == 0 {
			panic(fmt.Sprintf("figures: row %d has no maps", i))
		}
		columns = max(columns, len(r.Maps))
		r.Scale.check()
		for _, m := range r.Maps {
			m.check()
		}
	}
	return columns
}

func yTicks(m Map) []tick { return ticks(m.Y[0], m.Y[len(m.Y)-1], tickCount) }

// repeated tells whether a map has no title or that of the map above it.
func repeated(rows []Row, i, j int) bool {
	title := rows[i].Maps[j].Title
	return title == "" || i > 0 && j < len(rows[i-1].Maps) && rows[i-1].Maps[j].Title == title
}

// titled tells whether a row needs space for titles.
func titled(rows []Row, i int) bool {
	for j := range rows[i].Maps {
		if !repeated(rows, i, j) {
			return true
		}
	}
	return false
}

func drawTitle(dc draw.Canvas, area vg.Rectangle, title string) {
	at := vg.Point{X: middle(area).X, Y: area.Max.Y + textGap}
	dc.FillText(words(labelSize, text.XCenter, text.YBottom), at, title)
}

func square(x, y, side vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + side, Y: y + side}}
}

func (s Scale) ticks() []tick { return ticks(s.Min, s.Max, tickCount) }

// draw draws the scale as a colour bar.
func (s Scale) draw(dc draw.Canvas, area vg.Rectangle, room vg.Length) {
	img := image.NewPaletted(image.Rect(0, 0, 1, shades), colors())
	for i := range shades {
		img.SetColorIndex(0, shades-1-i, uint8(i))
	}
	dc.DrawImage(area, img)
	frame(dc, area)
	axis{
		side: right, lo: s.Min, hi: s.Max, ticks: s.ticks(), label: s.Label, room: room,
	}.draw(dc, area)
}
