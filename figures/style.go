package figures

import (
	"hash/fnv"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Style is what one method looks like in every figure. Without its colour, it is
// told from others by its marker or, where there is none, by its dashes.
type Style struct {
	Color  color.NRGBA
	Marker Marker
	Dashes []vg.Length
}

// colors are told apart with any colour vision: those of M. Okabe and K. Ito
// (2008), but for the yellow, which is lost on white paper, and a few darker ones
// after P. Tol.
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

// families has the names of well-known methods, a line for each colour. A name
// has the marker of its place in the line, counted from that of the line.
var families = []string{
	"adf adf-exact adf-smooth adf-forget smooth-32 smooth adf-smooth-10 probit-slope adf-linear",
	"adf-diagonal adf-lsq smooth-8 adf-diagonal-forget adf-smooth-diagonal smooth-mean adf-smooth-mean probit-lsq smooth-32-32 diagonal",
	"joint joint-slope-skip joint-slope-project joint-slope frozen-32 joint-slope-fail paper-linear normalised-probit unscented",
	"total adf-exact-joint paper-hidden frozen-32-32 daunizeau",
	"kalman linear kalman-forget kalman-linear kalman-diagonal delta probit-minimax taylor",
	"random-features random-32 random-8 adf-random-features mackay lognormal-normalised adf-shared shared adf-shared-10",
	"tagi perceptron-adf vi-bohning tagi-10 bayes-by-backprop dropout lu-0 lu-1",
	"laplace-window perceptron-huber laplace-linear laplace-hidden laplace-bridge laplace-bridge-corrected",
	"exact neighbours-window exact-fast neighbours map map-linear map-hidden",
	"majority monte-carlo uniform",
}

// StyleOf returns the style of a method by its name. Low lines are hyphens, and
// what stands behind a colon is a remark. Names that are not well known get a style
// by chance, but always the same.
func StyleOf(name string) Style {
	i, j := place(name)
	return styleAt(i, j)
}

// place returns the colour and the marker of a method by their numbers.
func place(name string) (clr, marker int) {
	name, _, _ = strings.Cut(name, ":")
	name = strings.ReplaceAll(name, "_", "-")
	for i, family := range families {
		for j, known := range strings.Fields(family) {
			if name == known {
				return i, (i + j) % len(shapes)
			}
		}
	}
	h := fnv.New32a()
	h.Write([]byte(name))
	sum := int(h.Sum32() >> 1)
	return sum % len(colors), sum / len(colors) % len(shapes)
}

var dashes = [][]vg.Length{nil, {4, 2}, {1.2, 1.5}, {6, 1.8, 1.2, 1.8}}

func styleAt(clr, marker int) Style {
	return Style{colors[clr], Marker(marker), dashes[marker%len(dashes)]}
}

// styles are those of the names of a figure.
type styles map[string]Style

// add gives a name its style or, if another name of the figure has it, the next
// one that is free.
func (s styles) add(name string) Style {
	if known, ok := s[name]; ok {
		return known
	}
	i, j := place(name)
	n := len(colors) * len(shapes)
	for k := range n {
		next := styleAt((i+k)%len(colors), (j+k/len(colors))%len(shapes))
		taken := false
		for _, other := range s {
			taken = taken || other.Color == next.Color && other.Marker == next.Marker
		}
		if !taken || k == n-1 {
			s[name] = next
			break
		}
	}
	return s[name]
}

// Marker is the number of a shape that marks a point.
type Marker int

// A shape is a regular polygon, or a star: the number of its corners (0 is a
// circle), the direction of the first one, their distance from the middle, and
// that of the corners between them, if there are any.
type shape struct {
	corners      int
	turn         float64
	outer, inner vg.Length
}

// shapes have about the same area.
var shapes = []shape{
	{0, 0, 1, 0},
	{4, math.Pi / 4, 1.25, 0},
	{3, math.Pi / 2, 1.45, 0},
	{4, 0, 1.3, 0},
	{3, -math.Pi / 2, 1.45, 0},
	{4, math.Pi / 4, 1.75, 0.6},
	{5, math.Pi / 2, 1.65, 0.75},
}

const (
	markerRadius = vg.Length(2.1)
	crowdRadius  = vg.Length(1.3) // among many
	casing       = vg.Length(0.6) // the white edge of a marker
)

func (m Marker) path(at vg.Point, radius vg.Length) vg.Path {
	return shapes[int(m)%len(shapes)].path(at, radius)
}

// path returns the outline of the shape about a point.
func (s shape) path(at vg.Point, radius vg.Length) vg.Path {
	corner := func(i int, r vg.Length, half float64) vg.Point {
		sin, cos := math.Sincos(s.turn + 2*math.Pi*(float64(i)+half)/float64(max(s.corners, 4)))
		return vg.Point{X: at.X + radius*r*vg.Length(cos), Y: at.Y + radius*r*vg.Length(sin)}
	}
	var path vg.Path
	if s.corners == 0 {
		// Four cubics, as not every format draws arcs alike.
		k := radius * s.outer * 0.5523
		path.Move(corner(0, s.outer, 0))
		for i := range 4 {
			p, q := corner(i, s.outer, 0), corner(i+1, s.outer, 0)
			along := func(p vg.Point, k vg.Length) vg.Point {
				d := p.Sub(at).Scale(k / (radius * s.outer))
				return vg.Point{X: p.X - d.Y, Y: p.Y + d.X}
			}
			path.CubeTo(along(p, k), along(q, -k), q)
		}
	}
	for i := range s.corners {
		if i == 0 { // Begin within an edge: the PNG canvas does not join the ends.
			if s.inner > 0 {
				path.Move(corner(-1, s.inner, 0.5).Add(corner(0, s.outer, 0)).Scale(0.5))
			} else {
				path.Move(corner(-1, s.outer, 0).Add(corner(0, s.outer, 0)).Scale(0.5))
			}
		}
		path.Line(corner(i, s.outer, 0))
		if s.inner > 0 {
			path.Line(corner(i, s.inner, 0.5))
		}
	}
	path.Close()
	return path
}

// DrawGlyph implements draw.GlyphDrawer: the marker in its colour with a white
// edge, or none in a crowd, where edges would be all that is left.
func (m Marker) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	path := m.path(at, sty.Radius)
	if sty.Radius > crowdRadius {
		c.SetLineStyle(line(2*casing, white))
		c.Stroke(path)
	}
	c.SetColor(sty.Color)
	c.Fill(path)
}

// An outlined marker is filled in its colour and has a dark outline within a white
// edge, so that it shows on any ground.
type outlined struct {
	Marker
	edge color.Color
}

// DrawGlyph implements draw.GlyphDrawer.
func (m outlined) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	path := m.path(at, sty.Radius)
	c.SetLineStyle(line(2*casing+hairline, white))
	c.Stroke(path)
	c.SetColor(sty.Color)
	c.Fill(path)
	c.SetLineStyle(line(casing, m.edge))
	c.Stroke(path)
}

// classFills tell the markers of classes apart in grey as well: white, black and a
// mid orange, which maps do not contain.
var classFills = []color.NRGBA{white, black, {0xe6, 0x6a, 0x00, 0xff}}

// maxClasses is the number of markers of classes: as the numbers of shapes and of
// fills have no common divisor, every shape meets every fill.
var maxClasses = len(shapes) * len(classFills)

// classGlyph is the marker of an example of a class, counted from 0.
func classGlyph(class int) draw.GlyphStyle {
	return draw.GlyphStyle{
		Color: classFills[class%len(classFills)], Radius: markerRadius * 1.1,
		Shape: outlined{Marker(class), black},
	}
}

func (s Style) glyph(radius vg.Length) draw.GlyphStyle {
	return draw.GlyphStyle{Color: s.Color, Radius: radius, Shape: s.Marker}
}

// tint returns an opaque colour that is a fifth of c on white.
func tint(c color.NRGBA) color.NRGBA {
	mix := func(v uint8) uint8 { return uint8(math.Round(255 - (255-float64(v))/5)) }
	return color.NRGBA{mix(c.R), mix(c.G), mix(c.B), 0xff}
}
