package figures

import (
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	legendLine  = vg.Length(12) // distance of lines
	legendSpace = vg.Length(10) // between entries
	swatchWide  = vg.Length(13)
	swatchHigh  = vg.Length(6)
)

// An entry of a legend is a sign and its meaning.
type entry struct {
	text  string
	width vg.Length // of the sign
	draw  func(dc draw.Canvas, box vg.Rectangle)
	room  vg.Length // that it takes at least
}

// A legend is a list of entries, broken into lines.
type legend [][]entry

// newLegend breaks the entries into lines of at most a width.
func newLegend(entries []entry, width vg.Length) legend {
	var (
		out legend
		x   vg.Length
	)
	for _, e := range entries {
		w := e.extent()
		if len(out) == 0 || x+w > width {
			out = append(out, nil)
			x = 0
		}
		out[len(out)-1] = append(out[len(out)-1], e)
		x += w + legendSpace
	}
	return out
}

// aligned returns the entries with equal room, so that they stand in columns.
func aligned(entries []entry) []entry {
	var room vg.Length
	for _, e := range entries {
		room = max(room, e.extent())
	}
	out := slices.Clone(entries)
	for i := range out {
		out[i].room = room
	}
	return out
}

func (e entry) extent() vg.Length {
	w := words(tickSize, text.XLeft, text.YCenter).Width(e.text)
	if e.width > 0 {
		w += e.width + textGap
	}
	return max(w, e.room)
}

func (l legend) height() vg.Length { return vg.Length(len(l)) * legendLine }

// draw draws the legend downwards and to the right of a point.
func (l legend) draw(dc draw.Canvas, at vg.Point) {
	sty := words(tickSize, text.XLeft, text.YCenter)
	for i, entries := range l {
		x, y := at.X, at.Y-legendLine*(vg.Length(i)+0.5)
		for _, e := range entries {
			if e.width > 0 {
				e.draw(dc, vg.Rectangle{
					Min: vg.Point{X: x, Y: y - swatchHigh/2},
					Max: vg.Point{X: x + e.width, Y: y + swatchHigh/2},
				})
				dc.FillText(sty, vg.Point{X: x + e.width + textGap, Y: y}, e.text)
			} else {
				dc.FillText(sty, vg.Point{X: x, Y: y}, e.text)
			}
			x += e.extent() + legendSpace
		}
	}
}

// mapLegend explains what occurs in the maps: classes, boundary, curves, and
// values that the scale cannot show. Classes with a name are explained always, so that
// figures of one set have the same legend.
func mapLegend(rows []Row, labels Labels) []entry {
	var (
		classes  []int
		boundary bool
		outside  int
		count    [absent + 1]int
		missing  missing
	)
	for class, name := range labels.Classes {
		if name != "" {
			classes = append(classes, class)
		}
	}
	for _, r := range rows {
		for _, m := range r.Maps {
			boundary = boundary || len(m.Boundary) > 0
			for _, p := range m.Points {
				if !m.holds(p) {
					outside++
				} else if !slices.Contains(classes, p.Class) {
					classes = append(classes, p.Class)
				}
			}
			missing.count(m.window(), m.Curves)
			for _, z := range m.Z {
				count[r.Scale.index(z)]++
			}
		}
	}
	slices.Sort(classes)

	var out []entry
	for _, class := range classes {
		out = append(out, entry{text: labels.class(class), width: 3 * markerRadius, draw: func(dc draw.Canvas, box vg.Rectangle) {
			drawMarker(dc, middle(box), class)
		}})
	}
	if boundary {
		out = append(out, entry{text: "true class boundary", width: swatchWide, draw: func(dc draw.Canvas, box vg.Rectangle) {
			fill(dc, box, colors()[shades/2])
			y := middle(box).Y
			drawBoundary(draw.Canvas{Canvas: dc.Canvas, Rectangle: box},
				[][2]vg.Point{{{X: box.Min.X, Y: y}, {X: box.Max.X, Y: y}}})
		}})
	}
	out = append(out, painter{looks: mapLooks(rows), onMap: true}.signs()...)
	for _, flag := range []struct {
		index uint8
		text  string
	}{{below, labels.below()}, {above, "above scale"}, {absent, "not a number"}} {
		if n := count[flag.index]; n > 0 {
			out = append(out, entry{
				text: fmt.Sprintf("%s (%s)", flag.text, plural(n, "value")), width: swatchWide,
				draw: func(dc draw.Canvas, box vg.Rectangle) {
					fill(dc, box, colors()[flag.index])
					frame(dc, box)
				},
			})
		}
	}
	if outside > 0 {
		out = append(out, entry{text: plural(outside, "example") + " outside the maps"})
	}
	return append(out, missing.entries("maps")...)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func middle(r vg.Rectangle) vg.Point { return r.Min.Add(r.Max).Scale(0.5) }

func fill(dc draw.Canvas, r vg.Rectangle, c color.Color) {
	dc.SetColor(c)
	dc.Fill(r.Path())
}
