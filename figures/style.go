package figures

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

type style struct {
	color  color.NRGBA
	line   draw.LineStyle
	marker marker
	edge   draw.LineStyle // outline of the line on a map
}

func rgb(c uint32) color.NRGBA { return color.NRGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 0xff} }

var black, grey, white = rgb(0x1a1a1a), rgb(0x8c8c8c), rgb(0xffffff)

// colors suit any colour vision: those of M. Okabe and K. Ito (2008) but for yellow, and a few after P. Tol.
var colors = [...]color.NRGBA{
	rgb(0x0072b2), rgb(0x56b4e9), // blue, sky
	rgb(0xd55e00), rgb(0xe69f00), // vermilion, orange
	rgb(0x009e73), rgb(0x999933), // green, olive
	rgb(0xcc79a7), rgb(0x882255), // pink, wine
	black, rgb(0x777777),
}

// lineOnMap are the colours of lines on maps, with a white edge.
var lineOnMap = [...]color.NRGBA{black, rgb(0xe66a00), rgb(0x2b4a9b)}

var dashes = [][]vg.Length{nil, {4, 1.5}, {1.2, 1.2}, {6, 1.5, 1.2, 1.5}}

type styles struct {
	known             map[string]style
	keys              []key                // legend keys of the curves
	used              [len(colors)]int     // number of curves of each colour
	intervals, arrows bool                 // whether an interval, or an arrow, is drawn
	infinite          bool                 // whether an infinite value is drawn
	flags             map[color.Color]bool // colours that maps contain; nil for charts
	images            int                  // number of pictures of maps so far
}

// style returns the style of a curve, and adds a key for a new name. A curve has the colour of its group or,
// if another curve has it, the next of the least used ones. Lines on maps have an edge, to show on any
// colour.
func (s *styles) style(c Curve) style {
	if sty, ok := s.known[c.Name]; ok {
		return sty
	}
	out, inner, edge := style{color: grey, line: line(thinWidth, grey)}, white, black
	if c.Kind != Reference {
		best := max(c.Group-1, 0) % len(colors)
		for k := range colors {
			if j := (c.Group + k) % len(colors); s.used[j] < s.used[best] {
				best = j
			}
		}
		out.color, out.line = colors[best], line(curveWidth, colors[best])
		out.marker = shapes[(best+s.used[best])%len(shapes)]
		inner, edge = lineOnMap[len(s.known)%len(lineOnMap)], white
		s.used[best]++
	}
	if !c.hasMarkers() {
		out.line.Dashes = dashes[len(s.known)%len(dashes)]
	}
	if c.Kind == Across {
		out.line.Width = 0
	}
	k := key{text: c.Name}
	if s.flags != nil {
		out.line.Color, out.edge = inner, line(out.line.Width+1.2, edge)
		k.thumbs = []plot.Thumbnailer{&plotter.Polygon{Color: anchors[4]}, &plotter.Line{LineStyle: out.edge}}
	}
	k.thumbs = append(k.thumbs, &plotter.Line{LineStyle: out.line})
	if c.hasMarkers() {
		k.thumbs = append(k.thumbs, scatter(out.marker, out.color))
	}
	if s.known[c.Name] = out; c.Name != "" {
		s.keys = append(s.keys, k)
	}
	return out
}

const (
	markerRadius = vg.Length(2.1)
	edgeWidth    = vg.Length(0.6)
)

// A marker is a regular polygon with a white edge, and perhaps an outline.
type marker struct {
	corners int
	turn    float64   // direction of the first corner
	outer   vg.Length // distance of the corners from the centre, in radii
	back    vg.Length // distance of the centre behind the marked place, against the direction, in radii
	outline color.Color
}

// shapes have about the same area. The first one looks like a circle.
var shapes = []marker{
	{corners: 48, outer: 1},
	{corners: 4, turn: math.Pi / 4, outer: 1.25},
	{corners: 3, turn: math.Pi / 2, outer: 1.45},
	{corners: 4, outer: 1.3},
	{corners: 3, turn: -math.Pi / 2, outer: 1.45},
}

func arrow(dx, dy int, outline color.Color) marker {
	turn := math.Atan2(float64(dy), float64(dx))
	return marker{corners: 3, outer: 1.45, back: 1.45, turn: turn, outline: outline}
}

// DrawGlyph implements draw.GlyphDrawer.
func (m marker) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, place vg.Point) {
	from := func(p vg.Point, angle float64, radii vg.Length) vg.Point {
		sin, cos := math.Sincos(angle)
		return p.Add(vg.Point{X: vg.Length(cos), Y: vg.Length(sin)}.Scale(sty.Radius * radii))
	}
	place = from(place, m.turn, -m.back)
	between := 2 * math.Pi / float64(m.corners)
	corner := func(i int) vg.Point { return from(place, m.turn+float64(i)*between, m.outer) }
	var path vg.Path
	path.Move(corner(-1).Add(corner(0)).Scale(0.5)) // the middle of a side: not every canvas joins the ends
	for i := range m.corners {
		path.Line(corner(i))
	}
	path.Close()
	c.SetLineStyle(line(3*edgeWidth, white))
	c.Stroke(path)
	c.SetColor(sty.Color)
	c.Fill(path)
	if m.outline != nil {
		c.SetLineStyle(line(edgeWidth, m.outline))
		c.Stroke(path)
	}
}

func scatter(shape draw.GlyphDrawer, c color.Color, points ...plotter.XY) *plotter.Scatter {
	sty := draw.GlyphStyle{Color: c, Radius: markerRadius, Shape: shape}
	return &plotter.Scatter{XYs: points, GlyphStyle: sty}
}

// infinity is the sign ∞, inside the frame, which is in the direction (dx, dy), behind level other signs.
type infinity struct{ dx, dy, level int }

// DrawGlyph implements draw.GlyphDrawer.
func (m infinity) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, place vg.Point) {
	width, height := 2.2*sty.Radius, 1.1*sty.Radius // of a half
	inwards := 1.3 * vg.Length(1+2*m.level)         // in halves of the sign
	place = place.Sub(vg.Point{X: vg.Length(m.dx) * inwards * width, Y: vg.Length(m.dy) * inwards * height})
	var path vg.Path
	path.Move(place.Add(vg.Point{X: width}))
	for i := 1; i <= 48; i++ { // a closed curve: (cos t, sin 2t)
		sin, cos := math.Sincos(float64(i) * math.Pi / 24)
		path.Line(place.Add(vg.Point{X: width * vg.Length(cos), Y: height * vg.Length(2*sin*cos)}))
	}
	c.SetLineStyle(line(5*edgeWidth, white))
	c.Stroke(path)
	c.SetLineStyle(line(2*edgeWidth, sty.Color))
	c.Stroke(path)
}
