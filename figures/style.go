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

// colors are told apart with any colour vision: those of M. Okabe and K. Ito (2008), but
// for the yellow, which is lost on white paper, with a few after P. Tol.
var colors = []color.NRGBA{
	{0x00, 0x72, 0xb2, 0xff}, // blue
	{0x56, 0xb4, 0xe9, 0xff}, // sky
	{0xd5, 0x5e, 0x00, 0xff}, // vermilion
	{0xe6, 0x9f, 0x00, 0xff}, // orange
	{0x00, 0x9e, 0x73, 0xff}, // green
	{0x99, 0x99, 0x33, 0xff}, // olive
	{0xcc, 0x79, 0xa7, 0xff}, // pink
	{0x88, 0x22, 0x55, 0xff}, // wine
	black,
	{0x77, 0x77, 0x77, 0xff}, // grey
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
func StyleOf(name string) Style {
	if i, j, ok := familyOf(name); ok {
		return styleAt(i, j)
	}
	sum := chance(name)
	return styleAt(sum%len(colors), sum/len(colors)%len(shapes))
}

// familyOf returns the family of a well-known method and its place in it.
func familyOf(name string) (i, j int, ok bool) {
	name, _, _ = strings.Cut(name, ":")
	name = strings.NewReplacer("_", "-", " ", "-").Replace(name)
	for i, family := range families {
		if j := slices.Index(strings.Fields(family), name); j >= 0 {
			return i, j, true
		}
	}
	return 0, 0, false
}

func chance(name string) int {
	h := fnv.New32a()
	h.Write([]byte(name))
	return int(h.Sum32() >> 1)
}

func styleAt(i, j int) Style {
	return Style{colors[i], (i + j) % len(shapes), dashes[j%len(dashes)]}
}

// styles has the curves of a figure, the first of every name, and their styles.
type styles struct {
	named []Curve
	of    map[string]Style
}

// add gives a curve its style. A name that is not well known avoids what the figure has
// already. References are grey and differ in their dashes.
func (s *styles) add(c Curve) {
	if _, ok := s.of[c.Name]; ok {
		return
	}
	if s.of == nil {
		s.of = make(map[string]Style)
	}
	next := StyleOf(c.Name)
	if c.Kind == Reference {
		references := 0
		for _, other := range s.named {
			if other.Kind == Reference {
				references++
			}
		}
		next = Style{grey, 0, dashes[references%len(dashes)]}
	} else if _, _, ok := familyOf(c.Name); !ok {
		next = s.free(c.Name)
	}
	s.named, s.of[c.Name] = append(s.named, c), next
}

// free returns a style that no name of the figure has: with a colour and a marker that
// are new, else with a new colour, else with a new pair of them.
func (s *styles) free(name string) Style {
	sum := chance(name)
	for _, taken := range []func(colour, marker bool) bool{
		func(colour, marker bool) bool { return colour || marker },
		func(colour, _ bool) bool { return colour },
		func(colour, marker bool) bool { return colour && marker },
	} {
		for k := range len(colors) * len(shapes) {
			next, ok := styleAt((sum+k)%len(colors), sum/len(colors)%len(shapes)+k/len(colors)), true
			for _, other := range s.of {
				ok = ok && !taken(other.Color == next.Color, other.Marker == next.Marker)
			}
			if ok {
				return next
			}
		}
	}
	return StyleOf(name)
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
	turn    float64   // the direction of the first corner
	outer   vg.Length // the distance of the corners, in radii
	outline color.Color
}

// shapes have about the same area. The first one is as good as a circle.
var shapes = []marker{
	{48, 0, 1, nil},
	{4, math.Pi / 4, 1.25, nil},
	{3, math.Pi / 2, 1.45, nil},
	{4, 0, 1.3, nil},
	{3, -math.Pi / 2, 1.45, nil},
}

// DrawGlyph implements draw.GlyphDrawer.
func (m marker) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	corner := func(i int) vg.Point {
		sin, cos := math.Sincos(m.turn + 2*math.Pi*float64(i)/float64(m.corners))
		r := sty.Radius * m.outer
		return vg.Point{X: at.X + r*vg.Length(cos), Y: at.Y + r*vg.Length(sin)}
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

// hollow is the marker of a style with nothing but its outline.
func (s Style) hollow() draw.GlyphStyle {
	m := shapes[s.Marker]
	m.outline = s.Color
	return draw.GlyphStyle{Color: white, Radius: markerRadius, Shape: m}
}

// classFills tell the markers of classes apart in grey as well: white, black and a
// mid orange, which maps do not contain. As their number and that of the shapes have
// no common divisor, every shape meets every fill.
var classFills = []color.NRGBA{white, black, {0xe6, 0x6a, 0x00, 0xff}}

// classGlyph is the marker of an example of a class, counted from 0.
func classGlyph(class int) draw.GlyphStyle {
	m := shapes[class%len(shapes)]
	m.outline = black
	return draw.GlyphStyle{Color: classFills[class%len(classFills)], Radius: markerRadius, Shape: m}
}

// tint returns an opaque colour that is a fifth of c on white.
func tint(c color.NRGBA) color.NRGBA {
	mix := func(v uint8) uint8 { return uint8(255 - (255-int(v))/5) }
	return color.NRGBA{mix(c.R), mix(c.G), mix(c.B), 0xff}
}
