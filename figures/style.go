package figures

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// style is the style of a curve: without colour, the marker or the dashes distinguish it.
type style struct {
	color  color.NRGBA
	marker int
	dashes []vg.Length
}

// rgb returns the colour of a number such as 0xff0000, red.
func rgb(c uint32) color.NRGBA { return color.NRGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 0xff} }

var black, grey, white = rgb(0x1a1a1a), rgb(0x8c8c8c), rgb(0xffffff)

// colors can be distinguished with any colour vision: those of M. Okabe and K. Ito (2008) but for yellow,
// and a few after P. Tol.
var colors = [...]color.NRGBA{
	rgb(0x0072b2), rgb(0x56b4e9), // blue, sky
	rgb(0xd55e00), rgb(0xe69f00), // vermilion, orange
	rgb(0x009e73), rgb(0x999933), // green, olive
	rgb(0xcc79a7), rgb(0x882255), // pink, wine
	black, rgb(0x777777),
}

var dashes = [][]vg.Length{nil, {4, 1.5}, {1.2, 1.2}, {6, 1.5, 1.2, 1.5}}

// styles has the curves of a figure, the first of every name, and their styles.
type styles struct {
	named []Curve
	of    map[string]style
	cut   bool                // something is outside a frame
	flags map[color.Color]int // how many values have each colour of a map
	used  [len(colors)]int
}

// add gives curves of new names their styles. A curve has the colour of its group or, if that is taken, the
// next colour that the fewest curves have. References are grey.
func (s *styles) add(curves ...Curve) {
	for _, c := range curves {
		if _, ok := s.of[c.Name]; ok {
			continue
		}
		n := len(s.named)
		s.named = append(s.named, c)
		if c.Kind == Reference {
			s.of[c.Name] = style{color: grey, dashes: dashes[n%len(dashes)]}
			continue
		}
		best := max(c.Group-1, 0) % len(colors)
		for k := range colors {
			if j := (c.Group + k) % len(colors); s.used[j] < s.used[best] {
				best = j
			}
		}
		s.of[c.Name] = style{colors[best], (best + s.used[best]) % len(shapes), dashes[s.used[best]%len(dashes)]}
		s.used[best]++
	}
}

const (
	markerRadius = vg.Length(2.1)
	edgeWidth    = vg.Length(0.6)
)

// A marker is a regular polygon, perhaps with an outline. About it is a white edge.
type marker struct {
	corners int
	turn    float64   // the direction of the first corner
	outer   vg.Length // the distance of the corners, in radii
	back    bool      // it ends at its place, in the direction of the first corner
	outline color.Color
}

// shapes have about the same area. The first one is as good as a circle.
var shapes = []marker{
	{corners: 48, outer: 1},
	{corners: 4, turn: math.Pi / 4, outer: 1.25},
	{corners: 3, turn: math.Pi / 2, outer: 1.45},
	{corners: 4, outer: 1.3},
	{corners: 3, turn: -math.Pi / 2, outer: 1.45},
}

// arrow points out of a frame, at whose edge it is.
func arrow(dx, dy int) marker {
	return marker{corners: 3, outer: 1.45, turn: math.Atan2(float64(dy), float64(dx)), back: true}
}

// DrawGlyph implements draw.GlyphDrawer.
func (m marker) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	if m.back {
		sin, cos := math.Sincos(m.turn)
		at = at.Sub(vg.Point{X: vg.Length(cos), Y: vg.Length(sin)}.Scale(sty.Radius * m.outer))
	}
	corner := func(i int) vg.Point {
		sin, cos := math.Sincos(m.turn + 2*math.Pi*float64(i)/float64(m.corners))
		return at.Add(vg.Point{X: vg.Length(cos), Y: vg.Length(sin)}.Scale(sty.Radius * m.outer))
	}
	var path vg.Path
	path.Move(corner(-1).Add(corner(0)).Scale(0.5)) // within an edge: not every canvas joins the ends
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

// markerKey is the key of a marker.
func markerKey(text string, m marker, fill color.Color) key {
	return key{text, []plot.Thumbnailer{&plotter.Scatter{GlyphStyle: m.glyph(fill)}}}
}

func (m marker) glyph(fill color.Color) draw.GlyphStyle {
	return draw.GlyphStyle{Color: fill, Radius: markerRadius, Shape: m}
}
