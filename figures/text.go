package figures

import (
	"fmt"
	"unicode"

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
	textHeight = vg.Length(9) // height of a line
	textRise   = vg.Length(2) // height of the base line above the bottom of a line
	textGap    = vg.Length(2.5)
	scriptSize = 0.7 // size of subscripts and superscripts, in units of the size of the text
)

type letter struct {
	char rune
	face font.Face
	rise vg.Length // height above the base line
}

// letters returns the characters of a text with their fonts, without the marks of mathematics.
func letters(s string) (out []letter) {
	var mathematics, braces bool
	var rise vg.Length // height above the base line, in units of the size of the text
	for _, c := range s {
		switch {
		case c == '$':
			mathematics = !mathematics
		case mathematics && c == '_':
			rise = -0.16
		case mathematics && c == '^':
			rise = 0.38
		case mathematics && c == '{':
			braces = true
		case mathematics && c == '}':
			braces, rise = false, 0
		default:
			f := font.Font{Typeface: "Liberation", Variant: "Serif", Size: textSize}
			if mathematics && unicode.IsLetter(c) {
				f.Style = stdfont.StyleItalic
			}
			if rise != 0 {
				f.Size *= scriptSize
			}
			out = append(out, letter{c, plot.DefaultTextHandler.Cache().Lookup(f, f.Size), rise * textSize})
			if !braces {
				rise = 0
			}
		}
	}
	return out
}

func textWidth(s string) (width vg.Length) {
	for _, l := range letters(s) {
		width += l.face.Width(string(l.char))
	}
	return width
}

// write writes a text in black. The point is its lower left corner for x = y = 0, upper right for x = y = 1.
func write(c draw.Canvas, place vg.Point, x, y vg.Length, s string) {
	c.SetColor(black)
	place = place.Add(vg.Point{X: -x * textWidth(s), Y: textRise - y*textHeight})
	for _, l := range letters(s) {
		c.Fill(l.outline(place.Add(vg.Point{Y: l.rise})))
		place.X += l.face.Width(string(l.char))
	}
}

// outline returns a letter as a path to be filled: the library for PDF has no text beyond Latin letters. A
// character that the font lacks becomes the font's sign for a missing one.
func (l letter) outline(start vg.Point) (path vg.Path) {
	var buf sfnt.Buffer
	em := fixed.Int26_6(l.face.Face.UnitsPerEm()) // makes the font answer in its own units
	glyph, err := l.face.Face.GlyphIndex(&buf, l.char)
	segments, err2 := l.face.Face.LoadGlyph(&buf, glyph, em, nil)
	if err != nil || err2 != nil {
		panic(fmt.Sprintf("figures: font of gonum/plot: %v, %v", err, err2))
	}
	p := func(p fixed.Point26_6) vg.Point {
		return start.Add(vg.Point{X: vg.Length(p.X), Y: -vg.Length(p.Y)}.Scale(l.face.Font.Size / vg.Length(em)))
	}
	for _, s := range segments {
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			path.Move(p(s.Args[0]))
		case sfnt.SegmentOpLineTo:
			path.Line(p(s.Args[0]))
		case sfnt.SegmentOpQuadTo:
			// Draw a cubic curve: the library for PDF draws no others.
			from, by, to := path[len(path)-1].Pos, p(s.Args[0]), p(s.Args[1])
			path.CubeTo(from.Add(by.Sub(from).Scale(2./3)), to.Add(by.Sub(to).Scale(2./3)), to)
		}
	}
	return path
}
