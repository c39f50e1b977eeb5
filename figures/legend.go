package figures

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const halfPi = math.Pi / 2

const (
	legendLine = vg.Length(11.5) // distance of lines
	legendGap  = vg.Length(9)    // between keys
	wideKey    = vg.Length(18)   // the picture of a line
	swatchKey  = vg.Length(13)   // that of an area
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

// A legend is a list of keys, broken into lines.
type legend [][]key

// newLegend breaks the keys into lines of at most a width.
func newLegend(keys []key, width vg.Length) legend {
	var (
		out legend
		x   vg.Length
	)
	for _, k := range keys {
		if len(out) == 0 || x+k.extent() > width {
			out, x = append(out, nil), 0
		}
		out[len(out)-1] = append(out[len(out)-1], k)
		x += k.extent() + legendGap
	}
	return out
}

// aligned returns the keys with equal room, so that they stand in columns.
func aligned(keys []key) []key {
	out := slices.Clone(keys)
	for _, k := range keys {
		for i := range out {
			out[i].room = max(out[i].room, k.extent())
		}
	}
	return out
}

func (k key) extent() vg.Length {
	w := letters(textSize, 0, 0).Width(k.text)
	if k.width > 0 {
		w += k.width + textGap
	}
	return max(w, k.room)
}

func (l legend) height() vg.Length { return vg.Length(len(l)) * legendLine }

// draw draws the legend downwards and to the right of a point.
func (l legend) draw(dc draw.Canvas, at vg.Point) {
	sty := letters(textSize, text.XLeft, text.YCenter)
	for i, keys := range l {
		x, y := at.X, at.Y-legendLine*(vg.Length(i)+0.5)
		for _, k := range keys {
			picture := draw.Canvas{Canvas: dc.Canvas, Rectangle: box(x, y-keyHeight/2, k.width, keyHeight)}
			for _, t := range k.thumbs {
				t.Thumbnail(&picture)
			}
			left := x
			if k.width > 0 {
				left += k.width + textGap
			}
			dc.FillText(sty, vg.Point{X: left, Y: y}, k.text)
			x += k.extent() + legendGap
		}
	}
}

// markerOf returns the key of a marker.
func markerOf(text string, g draw.GlyphStyle) key {
	return key{text: text, width: markerKey, thumbs: []plot.Thumbnailer{&plotter.Scatter{GlyphStyle: g}}}
}

// missing counts the points of curves that a page does not show, although they
// have coordinates.
type missing struct{ infinite, negative, outside int }

// count adds the curves of a panel. A reference may go on for ever; so may
// lines without markers, which are seen to leave the panel.
func (m *missing) count(x, y Axis, curves []Curve) {
	for _, c := range curves {
		if c.Kind == Reference {
			continue
		}
		for i := range c.X {
			switch at, of := c.X[i], c.Y[i]; {
			case math.IsNaN(at) || math.IsNaN(of):
			case math.IsInf(at, 0) || math.IsInf(of, 0):
				m.infinite++
			case !x.shows(at) || !y.shows(of):
				m.negative++
			case c.Kind != Line && !(x.holds(at) && y.holds(of)):
				m.outside++
			}
		}
	}
}

// keys are the notes in the legend, for panels that are called maps, charts.
func (m missing) keys(panels string) (out []key) {
	for _, note := range []struct {
		n    int
		text string
	}{
		{m.infinite, " at infinity, not shown"},
		{m.negative, " ≤ 0, not shown on a logarithmic axis"},
		{m.outside, " outside the " + panels},
	} {
		if note.n > 0 {
			out = append(out, key{text: plural(note.n, "point") + note.text})
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
