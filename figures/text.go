package figures

import (
	"cmp"
	"math"
	"slices"
	"unicode"

	stdfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A typesetter is gonum/plot's handler of plain text and the small mathematics of labels.
type typesetter struct{ text.Handler }

var typeset = typesetter{plot.DefaultTextHandler}

// letters is the style of a piece of text that is aligned to its anchor.
func letters(size vg.Length, x text.XAlignment, y text.YAlignment) text.Style {
	fnt := font.Font{Typeface: "Liberation", Variant: "Serif", Size: size}
	return text.Style{Color: black, Font: fnt, XAlign: x, YAlign: y, Handler: typeset}
}

// Sizes of subscripts and superscripts in units of the size of the text.
const (
	scriptSize = 0.7
	superRise  = 0.36
	subDrop    = 0.16
	italicGap  = 0.04 // keeps a superscript off the overhang of a slanted letter
)

// A run is a piece of text in one font at one height.
type run struct {
	text   string
	italic bool
	script int // -1 is a subscript, +1 a superscript
	face   font.Face
	at     vg.Point // from the origin of the line
}

// runs splits a line of marked text.
func runs(line string) (out []run) {
	maths := false
	script := 0    // of the letters that follow
	group := false // up to a closing brace, instead of one
	for _, r := range line {
		switch {
		case r == '$':
			maths, script, group = !maths, 0, false
		case maths && r == '_':
			script = -1
		case maths && r == '^':
			script = +1
		case script != 0 && r == '{':
			group = true
		case group && r == '}':
			script, group = 0, false
		default:
			own := 0
			if i := slices.Index(superscripts, r); i >= 0 {
				r, own = superLetters[i], +1
			} else if i := slices.Index(subscripts, r); i >= 0 {
				r, own = subLetters[i], -1
			}
			next := run{text: string(r), italic: maths && unicode.IsLetter(r), script: cmp.Or(script, own)}
			if !group {
				script = 0
			}
			if n := len(out) - 1; n >= 0 && out[n].italic == next.italic && out[n].script == next.script {
				out[n].text += next.text
			} else {
				out = append(out, next)
			}
		}
	}
	return out
}

// The Unicode superscripts and subscripts, each over its ordinary letter.
var (
	superscripts, superLetters = []rune("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿⁱ"), []rune("0123456789+−()ni")
	subscripts, subLetters     = []rune("₀₁₂₃₄₅₆₇₈₉₊₋₍₎ₙᵢⱼₖ"), []rune("0123456789+−()nijk")
)

// set places the runs of a line one after the other.
func set(line string, fnt font.Font) (out []run, width vg.Length) {
	out = runs(line)
	for i, r := range out {
		f, rise := fnt, vg.Length(0)
		if r.italic {
			f.Style = stdfont.StyleItalic
		}
		switch r.script {
		case -1:
			f.Size, rise = scriptSize*f.Size, -subDrop*f.Size
		case +1:
			f.Size, rise = scriptSize*f.Size, superRise*f.Size
			if i > 0 && out[i-1].italic {
				width += italicGap * fnt.Size
			}
		}
		out[i].face, out[i].at = typeset.Cache().Lookup(f, f.Size), vg.Point{X: width, Y: rise}
		width += out[i].face.Width(r.text)
	}
	return out, width
}

// Box implements text.Handler. All lines of one font have the same height and
// depth, whatever they say, so that neighbours stand on one baseline.
func (t typesetter) Box(txt string, fnt font.Font) (width, height, depth vg.Length) {
	e := t.Extents(fnt)
	_, width = set(txt, fnt)
	return width, e.Ascent, e.Descent
}

// Draw implements text.Handler. As everywhere in gonum/plot, the anchor is lower than
// that of the box by the descent. Text of size 0 is not drawn.
func (t typesetter) Draw(c vg.Canvas, txt string, sty text.Style, pt vg.Point) {
	if sty.Font.Size == 0 {
		return
	}
	c.SetColor(sty.Color)
	c.Push()
	defer c.Pop()
	c.Translate(pt)
	if sty.Rotation != 0 {
		c.Rotate(sty.Rotation)
	}
	e := t.Extents(sty.Font)
	top := sty.Height(txt)*(1+vg.Length(sty.YAlign)) - e.Descent
	for i, line := range t.Lines(txt) {
		parts, width := set(line, sty.Font)
		origin := vg.Point{X: width * vg.Length(sty.XAlign), Y: top - e.Ascent - vg.Length(i)*e.Height}
		for _, p := range parts {
			c.FillString(p.face, origin.Add(p.at), p.text)
		}
	}
}

// outline returns a line of text as a path to be filled. It is laid out
// without hinting, which would make it depend on the resolution. A character
// that the font lacks becomes the font's own sign for a missing one.
func outline(face font.Face, at vg.Point, line string) vg.Path {
	var (
		path vg.Path
		buf  sfnt.Buffer
		last sfnt.GlyphIndex
		f    = face.Face
		em   = fixed.Int26_6(f.UnitsPerEm()) // makes the font answer in its own units
		unit = face.Font.Size / vg.Length(em)
		must = func(err error) { require(err == nil, "font: %v", err) } // it is one that comes with the program
	)
	for i, r := range line {
		g, err := f.GlyphIndex(&buf, r)
		must(err)
		if i > 0 { // A font without a kerning table reports an error: no kerning.
			if k, err := f.Kern(&buf, last, g, em, stdfont.HintingNone); err == nil {
				at.X += unit * vg.Length(k)
			}
		}
		last = g
		segments, err := f.LoadGlyph(&buf, g, em, nil)
		must(err)
		p := func(p fixed.Point26_6) vg.Point {
			return vg.Point{X: at.X + unit*vg.Length(p.X), Y: at.Y - unit*vg.Length(p.Y)}
		}
		for i, s := range segments {
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				if i > 0 {
					path.Close()
				}
				path.Move(p(s.Args[0]))
			case sfnt.SegmentOpLineTo:
				path.Line(p(s.Args[0]))
			case sfnt.SegmentOpQuadTo:
				// As a cubic: the library for PDF knows no other.
				from, by, to := path[len(path)-1].Pos, p(s.Args[0]), p(s.Args[1])
				path.CubeTo(from.Add(by.Sub(from).Scale(2./3)), to.Add(by.Sub(to).Scale(2./3)), to)
			}
		}
		if len(segments) > 0 {
			path.Close()
		}
		advance, err := f.GlyphAdvance(&buf, g, em, stdfont.HintingNone)
		must(err)
		at.X += unit * vg.Length(advance)
	}
	return path
}

// write writes a text whose box is aligned to an anchor.
func write(dc draw.Canvas, sty text.Style, at vg.Point, s string) {
	sin, cos := math.Sincos(sty.Rotation)
	d := sty.FontExtents().Descent
	dc.FillText(sty, vg.Point{X: at.X - d*vg.Length(sin), Y: at.Y + d*vg.Length(cos)}, s)
}
