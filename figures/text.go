package figures

import (
	"strings"
	"sync"
	"unicode"

	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// typesetter is a text handler for the small mathematics of labels.
type typesetter struct{}

var _ text.Handler = typesetter{}

var fonts = sync.OnceValue(func() *font.Cache { return font.NewCache(liberation.Collection()) })

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
}

// runs splits a line of marked text.
func runs(line string) []run {
	var out []run
	maths := false
	script := 0    // of the letters that follow
	group := false // up to a closing brace, instead of one
	for _, r := range line {
		switch {
		case r == '$':
			maths, script, group = !maths, 0, false
			continue
		case maths && r == '_':
			script = -1
			continue
		case maths && r == '^':
			script = +1
			continue
		case script != 0 && r == '{':
			group = true
			continue
		case group && r == '}':
			script, group = 0, false
			continue
		}
		var next run
		r, next.script = ordinary(r)
		if script != 0 {
			next.script = script
			if !group {
				script = 0
			}
		}
		next.italic = maths && unicode.IsLetter(r)
		if n := len(out); n > 0 && out[n-1].italic == next.italic && out[n-1].script == next.script {
			out[n-1].text += string(r)
			continue
		}
		next.text = string(r)
		out = append(out, next)
	}
	return out
}

// The Unicode superscripts and subscripts, each over its ordinary letter.
var (
	superscripts, superLetters = []rune("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿⁱ"), []rune("0123456789+−()ni")
	subscripts, subLetters     = []rune("₀₁₂₃₄₅₆₇₈₉₊₋₍₎ₙᵢⱼₖ"), []rune("0123456789+−()nijk")
)

// ordinary returns the ordinary letter of a subscript or superscript.
func ordinary(r rune) (letter rune, script int) {
	for i, s := range superscripts {
		if r == s {
			return superLetters[i], +1
		}
	}
	for i, s := range subscripts {
		if r == s {
			return subLetters[i], -1
		}
	}
	return r, 0
}

// A placed run has its face and its offset from the origin of the line.
type placed struct {
	face font.Face
	text string
	at   vg.Point
}

// set places the runs of a line one after the other.
func set(line string, fnt font.Font) (out []placed, width vg.Length) {
	italic := false
	for _, r := range runs(line) {
		f, rise := fnt, vg.Length(0)
		if r.italic {
			f.Style = stdfont.StyleItalic
		}
		if r.script != 0 {
			f.Size *= scriptSize
			rise = -subDrop * fnt.Size
			if r.script > 0 {
				rise = superRise * fnt.Size
			}
		}
		if r.script > 0 && italic {
			width += italicGap * fnt.Size
		}
		face := fonts().Lookup(f, f.Size)
		out = append(out, placed{face, r.text, vg.Point{X: width, Y: rise}})
		width += face.Width(r.text)
		italic = r.italic
	}
	return out, width
}

// Cache implements text.Handler.
func (typesetter) Cache() *font.Cache { return fonts() }

// Extents implements text.Handler.
func (typesetter) Extents(fnt font.Font) font.Extents {
	face := fonts().Lookup(fnt, fnt.Size)
	return face.Extents()
}

// Lines implements text.Handler.
func (typesetter) Lines(txt string) []string { return strings.Split(txt, "\n") }

// Box implements text.Handler. All lines of one font have the same height and
// depth, whatever they say, so that neighbours stand on one baseline.
func (t typesetter) Box(txt string, fnt font.Font) (width, height, depth vg.Length) {
	e := t.Extents(fnt)
	_, width = set(txt, fnt)
	return width, e.Ascent, e.Descent
}

// Draw implements text.Handler. Text of size 0 is not drawn.
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
	top := sty.Height(txt) * (1 + vg.Length(sty.YAlign))
	for i, line := range t.Lines(txt) {
		parts, width := set(line, sty.Font)
		origin := vg.Point{X: width * vg.Length(sty.XAlign), Y: top - e.Ascent - vg.Length(i)*e.Height}
		for _, p := range parts {
			c.FillString(p.face, origin.Add(p.at), p.text)
		}
	}
}

// wrap breaks a text at spaces into lines of at most a width. A longer word has
// a line of its own.
func wrap(s string, sty text.Style, width vg.Length) string {
	var lines []string
	for _, word := range strings.Fields(s) {
		if n := len(lines); n > 0 && sty.Width(lines[n-1]+" "+word) <= width {
			lines[n-1] += " " + word
			continue
		}
		lines = append(lines, word)
	}
	return strings.Join(lines, "\n")
}
