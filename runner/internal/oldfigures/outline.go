package figures

import (
	"fmt"

	stdfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// A glyph is a letter of a line, its index in the font and its distance from
// the beginning of the line in units of the font.
type glyph struct {
	index sfnt.GlyphIndex
	x     int
}

// perEm makes the font library answer in units of the font, as integers.
func perEm(f *sfnt.Font) fixed.Int26_6 { return fixed.Int26_6(f.UnitsPerEm()) }

// glyphs lays out a line without hinting, which would make it depend on the
// resolution. A character that the font lacks becomes the font's own sign for
// a missing one, an empty box.
func glyphs(f *sfnt.Font, line string) []glyph {
	var (
		buf  sfnt.Buffer
		out  []glyph
		x    fixed.Int26_6
		last sfnt.GlyphIndex
	)
	for i, r := range line {
		g, err := f.GlyphIndex(&buf, r)
		if err != nil {
			panic(fmt.Sprintf("figures: font: %v", err))
		}
		if i > 0 {
			// A font without a kerning table reports an error: no kerning.
			if k, err := f.Kern(&buf, last, g, perEm(f), stdfont.HintingNone); err == nil {
				x += k
			}
		}
		out = append(out, glyph{g, int(x)})
		advance, err := f.GlyphAdvance(&buf, g, perEm(f), stdfont.HintingNone)
		if err != nil {
			panic(fmt.Sprintf("figures: font: %v", err))
		}
		x += advance
		last = g
	}
	return out
}

// contours returns the outline of a glyph in units of the font, y downwards.
func contours(f *sfnt.Font, g sfnt.GlyphIndex) sfnt.Segments {
	var buf sfnt.Buffer
	s, err := f.LoadGlyph(&buf, g, perEm(f), nil)
	if err != nil {
		panic(fmt.Sprintf("figures: font: %v", err))
	}
	return s
}

// outline returns a line of text as a path to be filled.
func outline(face font.Face, pt vg.Point, line string) vg.Path {
	var (
		path  vg.Path
		scale = face.Font.Size / vg.Length(face.Face.UnitsPerEm())
	)
	for _, g := range glyphs(face.Face, line) {
		at := func(p fixed.Point26_6) vg.Point {
			return vg.Point{
				X: pt.X + scale*vg.Length(g.x+int(p.X)),
				Y: pt.Y - scale*vg.Length(p.Y),
			}
		}
		segments := contours(face.Face, g.index)
		for i, s := range segments {
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				if i > 0 {
					path.Close()
				}
				path.Move(at(s.Args[0]))
			case sfnt.SegmentOpLineTo:
				path.Line(at(s.Args[0]))
			case sfnt.SegmentOpQuadTo:
				path.QuadTo(at(s.Args[0]), at(s.Args[1]))
			case sfnt.SegmentOpCubeTo:
				path.CubeTo(at(s.Args[0]), at(s.Args[1]), at(s.Args[2]))
			}
		}
		if len(segments) > 0 {
			path.Close()
		}
	}
	return path
}
