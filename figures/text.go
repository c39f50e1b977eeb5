package figures

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	stdfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	textSize   = vg.Length(8)
	textHeight = vg.Length(9) // of a line
	textRise   = vg.Length(2) // from the foot of a line to its letters
	textGap    = vg.Length(2.5)
	scriptSize = 0.7 // of subscripts and superscripts, in units of the size of the text
)

// A run is a piece of text in one font at one height.
type run struct {
	text   string
	italic bool
	rise   vg.Length // in units of the size of the text
}

// pieces of mathematics: subscripts and superscripts, words, and others.
var pieces = regexp.MustCompile(`[_^]\{[^}]*\}|[_^].|\pL+|[^\pL_^]+`)

// runs splits a text.
func runs(s string) (out []run) {
	for i, part := range strings.Split(s, "$") {
		if i%2 == 0 {
			out = append(out, run{text: part})
			continue
		}
		for _, piece := range pieces.FindAllString(part, -1) {
			r := run{text: piece}
			switch piece[0] {
			case '_':
				r.text, r.rise = strings.Trim(piece[1:], "{}"), -0.16
			case '^':
				r.text, r.rise = strings.Trim(piece[1:], "{}"), +0.38
			}
			first, _ := utf8.DecodeRuneInString(r.text)
			r.italic = unicode.IsLetter(first)
			out = append(out, r)
		}
	}
	return out
}

// face returns the font of a run.
func (r run) face() font.Face {
	f := font.Font{Typeface: "Liberation", Variant: "Serif", Size: textSize}
	if r.italic {
		f.Style = stdfont.StyleItalic
	}
	if r.rise != 0 {
		f.Size *= scriptSize
	}
	return plot.DefaultTextHandler.Cache().Lookup(f, f.Size)
}

// textWidth is the width of a text.
func textWidth(s string) (width vg.Length) {
	for _, r := range runs(s) {
		face := r.face()
		width += face.Width(r.text)
	}
	return width
}

// write writes a text in black. The point is at a part of its width and of its height: (0, 0) is the
// lower left corner, (1, 0.5) the middle of the right edge.
func write(c draw.Canvas, at vg.Point, x, y vg.Length, s string) {
	c.SetColor(black)
	at = at.Add(vg.Point{X: -x * textWidth(s), Y: textRise - y*textHeight})
	for _, r := range runs(s) {
		face := r.face()
		c.Fill(outline(face, at.Add(vg.Point{Y: r.rise * textSize}), r.text))
		at.X += face.Width(r.text)
	}
}

// writeUp writes a text that reads upwards about its middle.
func writeUp(c draw.Canvas, middle vg.Point, s string) {
	c.Push()
	defer c.Pop()
	c.Translate(middle)
	c.Rotate(math.Pi / 2)
	write(c, vg.Point{}, 0.5, 0.5, s)
}

// outline returns a text as a path to be filled, which has the same form at every resolution, and needs
// no font in a PDF file. A character that the font lacks becomes the font's own sign for a missing one.
func outline(face font.Face, at vg.Point, s string) (path vg.Path) {
	var (
		buf  sfnt.Buffer
		em   = fixed.Int26_6(face.Face.UnitsPerEm()) // makes the font answer in its own units
		unit = face.Font.Size / vg.Length(em)
	)
	for _, r := range s {
		glyph, err := face.Face.GlyphIndex(&buf, r)
		segments, err2 := face.Face.LoadGlyph(&buf, glyph, em, nil)
		if err != nil || err2 != nil {
			panic(fmt.Sprintf("figures: font of gonum/plot: %v, %v", err, err2))
		}
		p := func(p fixed.Point26_6) vg.Point {
			return at.Add(vg.Point{X: unit * vg.Length(p.X), Y: -unit * vg.Length(p.Y)})
		}
		for _, s := range segments {
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				path.Move(p(s.Args[0]))
			case sfnt.SegmentOpLineTo:
				path.Line(p(s.Args[0]))
			case sfnt.SegmentOpQuadTo:
				// As a cubic: the library for PDF draws no others.
				from, by, to := path[len(path)-1].Pos, p(s.Args[0]), p(s.Args[1])
				path.CubeTo(from.Add(by.Sub(from).Scale(2./3)), to.Add(by.Sub(to).Scale(2./3)), to)
			}
		}
		at.X += face.Width(string(r))
	}
	return path
}
