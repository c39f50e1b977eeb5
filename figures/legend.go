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
	legendLine  = vg.Length(11.5) // distance of lines
	legendGap   = vg.Length(9)    // between keys
	lineWidth   = vg.Length(19)   // of pictures
	areaWidth   = vg.Length(13)
	markerWidth = vg.Length(7)
	keyHeight   = vg.Length(6)
)

// A key of a legend is a picture and its meaning. Without a picture it is a note.
type key struct {
	text   string
	width  vg.Length // of the picture
	thumbs []plot.Thumbnailer
	room   vg.Length // that it takes at least
}

// indent is where the text begins.
func (k key) indent() vg.Length {
	if k.width == 0 {
		return 0
	}
	return k.width + textGap
}

func (k key) extent() vg.Length {
	return max(k.indent()+letters(textSize, 0, 0).Width(k.text), k.room)
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
			write(dc, sty, vg.Point{X: x + k.indent(), Y: y}, k.text)
			x += k.extent() + legendGap
		}
	}
}

// markerKey is the key of a marker.
func markerKey(text string, g draw.GlyphStyle) key {
	return key{text: text, width: markerWidth, thumbs: []plot.Thumbnailer{&plotter.Scatter{GlyphStyle: g}}}
}

// areaKey is the key of an area.
func areaKey(text string, area plotter.Polygon) key {
	return key{text: text, width: areaWidth, thumbs: []plot.Thumbnailer{&area}}
}

// note returns what there is to say of n things that a figure does not show.
func note(n int, thing, text string) []key {
	if n == 0 {
		return nil
	}
	return []key{{text: plural(n, thing) + text}}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
