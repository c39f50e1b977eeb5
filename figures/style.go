package figures

import (
	"hash/fnv"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Style is how one method is drawn in every figure. Without its colour it is told from
// others by its marker, a number, or by the dashes of a line without markers.
type Style struct {
	Color  color.NRGBA
	Marker int
	Dashes []vg.Length
}

// rgb returns the colour of a number such as 0xff0000, red.
func rgb(c uint32) color.NRGBA { return color.NRGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 0xff} }

var (
	black = rgb(0x1a1a1a)
	grey  = rgb(0x8c8c8c)
	pale  = rgb(0xececec)
	white = rgb(0xffffff)
)

// colors are told apart with any colour vision: those of M. Okabe and K. Ito (2008), but
// for the yellow, which is lost on white paper, with a few after P. Tol.
var colors = []color.NRGBA{
	rgb(0x0072b2), rgb(0x56b4e9), // blue, sky
	rgb(0xd55e00), rgb(0xe69f00), // vermilion, orange
	rgb(0x009e73), rgb(0x999933), // green, olive
	rgb(0xcc79a7), rgb(0x882255), // pink, wine
	black, rgb(0x777777),
}

// families are the names of well-known methods, a line for each colour. The place in
// the line gives the marker, counted from that of the line, and the dashes of lines without markers.
var families = []string{
	"adf adf-forget adf-exact adf-smooth smooth-32 smooth probit-slope adf-linear adf-smooth-10 slope-matched",
	"adf-diagonal adf-diagonal-forget adf-lsq smooth-8 adf-smooth-diagonal smooth-mean adf-smooth-mean least-squares probit-lsq smooth-32-32 diagonal",
	"joint joint-slope joint-slope-skip joint-slope-project joint-slope-fail frozen-32 paper-linear normalised-probit unscented",
	"total adf-exact-joint paper-hidden frozen-32-32 daunizeau probit-minimax",
	"kalman kalman-forget linear kalman-linear kalman-diagonal delta taylor minimax",
	"random-32 random-8 random-features adf-random-features mackay lognormal-normalised adf-shared shared adf-shared-10",
	"tagi perceptron-adf tagi-10 vi-bohning bayes-by-backprop dropout lu-0 lu-1",
	"laplace-window perceptron-huber laplace-linear laplace-hidden laplace-bridge laplace-bridge-corrected",
	"exact neighbours-window exact-fast neighbours map map-linear map-hidden",
	"majority monte-carlo uniform",
}

var dashes = [][]vg.Length{nil, {4, 1.5}, {1.2, 1.2}, {6, 1.5, 1.2, 1.5}}

// StyleOf returns the style of a method by its name. Low lines and spaces are hyphens,
// and what stands behind a colon is a remark. Names that are not well known get a style
// by chance, but always the same.
func StyleOf(name string) Style { return new(styles).next(Curve{Name: name}) }

// styles has the curves of a figure, the first of every name, and their styles.
type styles struct {
	named []Curve
	of    map[string]Style
}

// stylesOf gives curves that can be drawn their styles, one after the other.
func stylesOf(curves []Curve) *styles {
	s := &styles{of: make(map[string]Style)}
	for _, c := range curves {
		c.check()
		if _, ok := s.of[c.Name]; !ok {
			s.named, s.of[c.Name] = append(s.named, c), s.next(c)
		}
	}
	return s
}

// next returns the style of one more curve. References are grey and differ in their
// dashes; a well-known method has its place in families. Any other has, if possible, a
// colour and a marker that are new in the figure, else a colour, else a pair of them.
func (s *styles) next(c Curve) (out Style) {
	if c.Kind == Reference {
		references := 0
		for _, other := range s.named {
			if other.Kind == Reference {
				references++
			}
		}
		return Style{Color: grey, Dashes: dashes[references%len(dashes)]}
	}
	name, _, _ := strings.Cut(c.Name, ":")
	name = strings.NewReplacer("_", "-", " ", "-").Replace(name)
	for i, family := range families {
		if j := slices.Index(strings.Fields(family), name); j >= 0 {
			return styleAt(i, j)
		}
	}
	h := fnv.New32a()
	h.Write([]byte(c.Name))
	chance := int(h.Sum32() >> 1)
	least := math.MaxInt
	for k := range len(colors) * len(shapes) {
		style, shared := styleAt((chance+k)%len(colors), chance/len(colors)%len(shapes)+k/len(colors)), 0
		for _, other := range s.of {
			both := 0
			if other.Color == style.Color {
				both = 2
			}
			if other.Marker == style.Marker {
				both++
			}
			shared = max(shared, both)
		}
		if shared < least {
			out, least = style, shared
		}
	}
	return out
}

func styleAt(i, j int) Style {
	return Style{colors[i], (i + j) % len(shapes), dashes[j%len(dashes)]}
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
func (s Style) glyph(radius vg.Length) draw.GlyphStyle {
	return draw.GlyphStyle{Color: s.Color, Radius: radius, Shape: shapes[s.Marker]}
}

// outlined is a marker with an outline.
func outlined(m marker, fill, outline color.Color) draw.GlyphStyle {
	m.outline = outline
	return draw.GlyphStyle{Color: fill, Radius: markerRadius, Shape: m}
}

// classFills tell the markers of classes apart in grey as well: white, black and a
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
