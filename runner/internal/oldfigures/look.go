package figures

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	curveWidth     = vg.Length(1)
	curveCasing    = vg.Length(2.4) // the white edge of a curve on a map
	referenceWidth = vg.Length(0.7)
	curveMarker    = vg.Length(2.1) // radius of a circle
	crowdMarker    = vg.Length(1.4) // the same among many
	crowd          = 50             // points
	signWide       = vg.Length(20)  // of a curve in the legend
)

// inks are colours that people with any colour vision tell apart: the set of
// M. Okabe and K. Ito (2008) without its yellow, which is lost on white paper.
var inks = []color.NRGBA{
	{0x00, 0x72, 0xb2, 0xff},
	{0xd5, 0x5e, 0x00, 0xff},
	{0x00, 0x9e, 0x73, 0xff},
	{0xcc, 0x79, 0xa7, 0xff},
	{0xe6, 0x9f, 0x00, 0xff},
	{0x56, 0xb4, 0xe9, 0xff},
	{0x1a, 0x1a, 0x1a, 0xff},
}

var (
	referenceInk = color.NRGBA{0x8c, 0x8c, 0x8c, 0xff}
	// mapInks show on a white casing and do not occur in the colour map.
	mapInks = []color.Color{ink, markerFills[2]}
)

var dashes = [][]vg.Length{nil, {4, 2}, {1.2, 1.5}, {6, 1.8, 1.2, 1.8}}

// The numbers of different looks. On charts the numbers of inks, of dashes and
// of marker shapes have no common divisor, so that two curves of one ink
// differ in the other two; on maps every ink meets every dash.
var (
	maxCurves    = len(inks) * len(dashes)
	maxMapCurves = len(mapInks) * len(dashes)
)

// A painter draws curves in a window.
type painter struct {
	window
	looks *looks
	onMap bool
}

// line returns the pen of a curve.
func (p painter) line(c Curve) draw.LineStyle {
	n := p.looks.number[c.Name]
	switch {
	case p.onMap && c.Style == Reference:
		return draw.LineStyle{Color: paper, Width: boundaryWidth}
	case p.onMap:
		return draw.LineStyle{Color: mapInks[n/len(dashes)%len(mapInks)], Width: curveWidth, Dashes: dashes[n%len(dashes)]}
	case c.Style == Reference:
		return draw.LineStyle{Color: referenceInk, Width: referenceWidth, Dashes: dashes[n%len(dashes)]}
	case c.Style == Marked:
		// Markers tell the curves apart in grey, so the first lines may be whole.
		return draw.LineStyle{Color: inks[n%len(inks)], Width: curveWidth, Dashes: dashes[n/len(inks)%len(dashes)]}
	}
	return draw.LineStyle{Color: inks[n%len(inks)], Width: curveWidth, Dashes: dashes[n%len(dashes)]}
}

// marker draws the marker of a curve.
func (p painter) marker(dc draw.Canvas, at vg.Point, c Curve) {
	n := p.looks.number[c.Name]
	if p.onMap {
		// From the end, because the classes begin at the other.
		drawMarker(dc, at, maxClasses-1-n)
		return
	}
	shape := markerShapes[n%len(markerShapes)].path(at, c.radius())
	if !c.crowded() {
		// In a crowd the white edges would be all that is left.
		dc.SetLineStyle(line(casingWidth-outlineWidth, paper))
		dc.Stroke(shape)
	}
	dc.SetColor(inks[n%len(inks)])
	dc.Fill(shape)
}

// crowded tells whether a curve has more markers than can stand apart.
func (c Curve) crowded() bool { return c.Style == Scatter && len(c.X) > crowd }

// radius is that of the markers of a chart.
func (c Curve) radius() vg.Length {
	if c.crowded() {
		return crowdMarker
	}
	return curveMarker
}

// stroke draws lines that are clipped to the area.
func (p painter) stroke(dc draw.Canvas, c Curve, lines [][]vg.Point) {
	inside := draw.Canvas{Canvas: dc.Canvas, Rectangle: p.area}
	lines = inside.ClipLinesXY(lines...)
	if p.onMap {
		casing := line(curveCasing, paper)
		if c.Style == Reference {
			casing = line(boundaryCasing, ink)
		}
		inside.StrokeLines(casing, lines...)
	}
	inside.StrokeLines(p.line(c), lines...)
}

// tint returns an opaque colour that is a fifth of c on white.
func tint(c color.Color) color.Color {
	r, g, b := rgb(c)
	mix := func(v uint8) uint8 { return uint8(math.Round(255 - (255-float64(v))/5)) }
	return color.NRGBA{mix(r), mix(g), mix(b), 0xff}
}

// sign returns the entry of a curve in the legend.
func (p painter) sign(c Curve) entry {
	width := signWide
	if c.Style == Scatter {
		width = 3 * markerRadius
	}
	return entry{text: c.Name, width: width, draw: func(dc draw.Canvas, box vg.Rectangle) {
		p.area = box
		if p.onMap && c.Style != Scatter {
			fill(dc, box, colors()[shades/2])
		} else if c.Low != nil && c.Style == Line {
			fill(dc, box, tint(p.line(c).Color))
		}
		y := middle(box).Y
		if c.Style != Scatter {
			p.stroke(dc, c, [][]vg.Point{{{X: box.Min.X, Y: y}, {X: box.Max.X, Y: y}}})
		}
		if c.Style == Marked || c.Style == Scatter {
			p.marker(dc, middle(box), c)
		}
	}}
}

// signs returns the entries of all curves that have a name.
func (p painter) signs() (out []entry) {
	for _, c := range p.looks.named {
		if c.Name != "" {
			out = append(out, p.sign(c))
		}
	}
	return out
}
