package figures

import (
	"image/color"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// style is the style of a curve. Without colour, curves are distinguished by the marker, a
// number, or by the dashes of a line without markers.
type style struct {
	color  color.NRGBA
	marker int
	dashes []vg.Length
}

// rgb returns the colour of a number such as 0xff0000, red.
func rgb(c uint32) color.NRGBA { return color.NRGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 0xff} }

var (
	black = rgb(0x1a1a1a)
	grey  = rgb(0x8c8c8c)
	pale  = rgb(0xececec)
	white = rgb(0xffffff)
)

// Groups is the number of groups that have colours of their own.
const Groups = 10

// colors can be distinguished with any colour vision: those of M. Okabe and K. Ito (2008), without
// the yellow, which is too light on white paper, and a few after P. Tol.
var colors = [Groups]color.NRGBA{
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

	radius vg.Length // of markers; 0: markerRadius
}

// stylesOf gives curves that can be drawn their styles, one after the other.
func stylesOf(curves []Curve) *styles {
	s := &styles{of: make(map[string]style)}
	for _, c := range curves {
		c.check()
		if _, ok := s.of[c.Name]; !ok {
			s.named, s.of[c.Name] = append(s.named, c), s.next(c)
		}
	}
	return s
}

// next returns the style of one more curve: a pair of colour and marker that is new in the
// figure, of the colour of its group or, without one, of the first colour that is free. Further
// curves of a group have the next colours. References are grey and differ in their dashes.
func (s *styles) next(c Curve) style {
	if c.Kind == Reference {
		references := 0
		for _, other := range s.named {
			if other.Kind == Reference {
				references++
			}
		}
		return style{color: grey, dashes: dashes[references%len(dashes)]}
	}
	used := slices.Collect(maps.Values(s.of))
	for k := range Groups * len(shapes) {
		i, j := k%Groups, k/Groups
		if c.Group > 0 {
			i, j = (c.Group-1+k/len(shapes))%Groups, k%len(shapes)
		}
		out := style{colors[i], (i + j) % len(shapes), dashes[j%len(dashes)]}
		if !slices.ContainsFunc(used, func(u style) bool { return u.color == out.color && u.marker == out.marker }) {
			return out
		}
	}
	return style{color: colors[max(c.Group-1, 0)%Groups]}
}

const (
	markerRadius = vg.Length(2.1)
	crowdRadius  = vg.Length(1.4) // among many
	edgeWidth    = vg.Length(0.6)
)

// A marker is a regular polygon. On a map it has a dark outline; about that is a white
// edge, except in a crowd, where edges would be all that is left.
type marker struct {
	corners int
	turn    float64     // the direction of the first corner
	outer   vg.Length   // the distance of the corners, in radii
	aside   vg.Length   // how far it is to the right of its place, in radii
	outline color.Color // if any
}

// shapes have about the same area. The first one is as good as a circle.
var shapes = []marker{
	{corners: 48, outer: 1},
	{corners: 4, turn: math.Pi / 4, outer: 1.25},
	{corners: 3, turn: math.Pi / 2, outer: 1.45},
	{corners: 4, outer: 1.3},
	{corners: 3, turn: -math.Pi / 2, outer: 1.45},
}

// DrawGlyph implements draw.GlyphDrawer.
func (m marker) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	corner := func(i int) vg.Point {
		sin, cos := math.Sincos(m.turn + 2*math.Pi*float64(i)/float64(m.corners))
		r := sty.Radius * m.outer
		return vg.Point{X: at.X + sty.Radius*m.aside + r*vg.Length(cos), Y: at.Y + r*vg.Length(sin)}
	}
	var path vg.Path
	path.Move(corner(-1).Add(corner(0)).Scale(0.5)) // within an edge: not every canvas joins the ends
	for i := range m.corners {
		path.Line(corner(i))
	}
	path.Close()
	if sty.Radius > crowdRadius {
		c.SetLineStyle(line(3*edgeWidth, white))
		c.Stroke(path)
	}
	c.SetColor(sty.Color)
	c.Fill(path)
	if m.outline != nil {
		c.SetLineStyle(line(edgeWidth, m.outline))
		c.Stroke(path)
	}
}

// glyph is the marker of a style.
func (s style) glyph(radius vg.Length) draw.GlyphStyle {
	return draw.GlyphStyle{Color: s.color, Radius: radius, Shape: shapes[s.marker]}
}

// outlined is a marker with an outline.
func outlined(m marker, fill, outline color.Color) draw.GlyphStyle {
	m.outline = outline
	return draw.GlyphStyle{Color: fill, Radius: markerRadius, Shape: m}
}

// classFills distinguish the markers of classes, in grey as well: white, black and a
// mid orange, which maps do not contain. As their number and that of the shapes have
// no common divisor, every shape meets every fill.
var classFills = []color.NRGBA{white, black, rgb(0xe66a00)}

// classGlyph is the marker of an example of a class, counted from 0.
func classGlyph(class int) draw.GlyphStyle {
	return outlined(shapes[class%len(shapes)], classFills[class%len(classFills)], black)
}

// tint returns an opaque colour that is a fifth of c on white.
func tint(c color.NRGBA) color.NRGBA {
	mix := func(v uint8) uint8 { return uint8(255 - (255-int(v))/5) }
	return color.NRGBA{mix(c.R), mix(c.G), mix(c.B), 0xff}
}
