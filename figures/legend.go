package figures

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	legendLine = vg.Length(11.5) // distance of lines
	legendGap  = vg.Length(9)    // between keys
	lineKey    = vg.Length(19)   // widths of pictures
	areaKey    = vg.Length(13)
	markerKey  = vg.Length(7)
	keyHeight  = vg.Length(6)
)

// A key of a legend is a picture and its meaning. Without a picture it is a note.
type key struct {
	text   string
	width  vg.Length // of the picture
	thumbs []plot.Thumbnailer
	room   vg.Length // that it takes at least
}

func (k key) extent() vg.Length {
	w := letters(textSize, 0, 0).Width(k.text)
	if k.width > 0 {
		w += k.width + textGap
	}
	return max(w, k.room)
}

// align gives the keys equal room, so that they stand in columns.
func align(keys []key) []key {
	for _, k := range keys {
		for i := range keys {
			keys[i].room = max(keys[i].room, k.extent())
		}
	}
	return keys
}

// A legend is a list of keys, broken into lines.
type legend [][]key

// newLegend breaks the keys into lines of at most a width.
func newLegend(keys []key, width vg.Length) (out legend) {
	var x vg.Length
	for _, k := range keys {
		if len(out) == 0 || x+k.extent() > width {
			out, x = append(out, nil), 0
		}
		out[len(out)-1] = append(out[len(out)-1], k)
		x += k.extent() + legendGap
	}
	return out
}

// height is that of the legend and a gap above it.
func (l legend) height() vg.Length {
	if len(l) == 0 {
		return 0
	}
	return vg.Length(len(l))*legendLine + 1.5*textGap
}

// draw draws the legend at the foot of a page.
func (l legend) draw(dc draw.Canvas, left vg.Length) {
	sty := letters(textSize, text.XLeft, text.YCenter)
	for i, keys := range l {
		x, y := left, pageEdge+legendLine*(vg.Length(len(l)-i)-0.5)
		for _, k := range keys {
			picture := draw.Canvas{Canvas: dc.Canvas, Rectangle: box(x, y-keyHeight/2, k.width, keyHeight)}
			for _, t := range k.thumbs {
				t.Thumbnail(&picture)
			}
			at := vg.Point{X: x, Y: y}
			if k.width > 0 {
				at.X += k.width + textGap
			}
			write(dc, sty, at, k.text)
			x += k.extent() + legendGap
		}
	}
}

// markerOf returns the key of a marker, areaOf that of an area.
func markerOf(text string, g draw.GlyphStyle) key {
	return key{text: text, width: markerKey, thumbs: []plot.Thumbnailer{&plotter.Scatter{GlyphStyle: g}}}
}

func areaOf(text string, area plotter.Polygon) key {
	return key{text: text, width: areaKey, thumbs: []plot.Thumbnailer{&area}}
}

// A count is a note on what a figure does not show.
type count struct {
	n    int
	what string // of the first
	text string
}

// notes returns the counts that are not 0.
func notes(counts ...count) (out []key) {
	for _, c := range counts {
		if c.n > 0 {
			out = append(out, key{text: plural(c.n, c.what) + c.text})
		}
	}
	return out
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
