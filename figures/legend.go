package figures

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	legendLine   = vg.Length(11.5) // distance of lines
	legendGap    = vg.Length(9)    // between keys
	legendMargin = vg.Length(4)    // above the legend
	keyWidth     = vg.Length(17)   // of pictures
	keyHeight    = vg.Length(6)
)

// A key of a legend is a picture and its meaning. Without a picture it is a note.
type key struct {
	text   string
	thumbs []plot.Thumbnailer
}

// A legend is keys in columns of one width. A note comes last, and may be wider.
type legend struct {
	keys           []key
	columns, lines int
	extent         vg.Length // of a column
}

// newLegend arranges keys within a width.
func newLegend(keys []key, width vg.Length) legend {
	l := legend{keys: keys}
	for _, k := range keys {
		if k.thumbs != nil {
			l.extent = max(l.extent, keyWidth+textGap+textWidth(k.text)+legendGap)
		}
	}
	l.columns = max(1, int((width+legendGap)/max(l.extent, 1)))
	l.lines = (len(keys) + l.columns - 1) / l.columns
	return l
}

// height is that of the legend and a gap above it.
func (l legend) height() vg.Length { return vg.Length(l.lines)*legendLine + legendMargin }

// draw draws the legend at the foot of a page.
func (l legend) draw(c draw.Canvas, left vg.Length) {
	for i, k := range l.keys {
		x := left + l.extent*vg.Length(i%l.columns)
		y := pageEdge + legendLine*(vg.Length(l.lines-i/l.columns)-0.5)
		picture := draw.Canvas{Canvas: c.Canvas, Rectangle: box(x, y-keyHeight/2, keyWidth, keyHeight)}
		for _, t := range k.thumbs {
			t.Thumbnail(&picture)
			x = picture.Max.X + textGap
		}
		write(c, vg.Point{X: x, Y: y}, 0, 0.5, k.text)
	}
}
