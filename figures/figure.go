// Package figures draws numbers with the plotters of gonum/plot, as PNG to read and as PDF to
// print. Charts draws curves, and named numbers with intervals; Maps draws functions on a plane.
//
// The bytes of a figure depend on its input alone: the date in a PDF file is always the same.
// Fonts need not be installed. Input that cannot be drawn, such as an axis to infinity, panics.
//
// Text between dollar signs is mathematics, with letters in italics. A low line and a caret make a subscript
// and a superscript of the next character or of braces: "$σ²(y_1)$, probability", "$Σ_{zy}$", "$10^{−5}$".
package figures

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	imgdraw "image/draw"
	"image/png"
	"maps"
	"slices"
	"time"
	"unicode"

	"codeberg.org/go-pdf/fpdf"
	stdfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// Sizes of a figure in print: the widths of a column of text and of a page, and the largest height.
const (
	columnWidth = 84 * vg.Millimeter
	pageWidth   = 174 * vg.Millimeter
	pageHeight  = 228 * vg.Millimeter
)

const dpi = 110 // resolution of PNG files

// Figure is a finished page. It is safe for concurrent use.
type Figure struct {
	width, height vg.Length
	draw          func(draw.Canvas)
}

// Encode returns the figure as a file in the format "png" or "pdf".
func (f *Figure) Encode(format string) ([]byte, error) {
	var out bytes.Buffer
	if format == "pdf" {
		c := vgpdf.New(f.width, f.height)
		f.draw(draw.NewCanvas(vector{c}, f.width, f.height))
		_, err := c.WriteTo(&out)
		return out.Bytes(), err
	}
	c := vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(dpi))
	f.draw(draw.NewCanvas(c, f.width, f.height))
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	err := encoder.Encode(&out, indexed(c.Image().(*image.RGBA)))
	return out.Bytes(), err
}

// indexed returns an opaque image with a palette, which makes a PNG file a third as large: colours are
// rounded to five bits per channel, and the most frequent ones stand for the others.
func indexed(img *image.RGBA) *image.Paletted {
	for i, v := range img.Pix {
		img.Pix[i] = v&^7 | v>>5
	}
	count := map[uint32]int{}
	for pixel := range slices.Chunk(img.Pix, 4) {
		count[binary.BigEndian.Uint32(pixel)>>8]++
	}
	colors := slices.SortedFunc(maps.Keys(count), func(a, b uint32) int {
		return cmp.Or(count[b]-count[a], cmp.Compare(a, b))
	})
	out := image.NewPaletted(img.Rect, nil)
	for _, c := range colors[:min(len(colors), 256)] {
		out.Palette = append(out.Palette, rgb(c))
	}
	imgdraw.Draw(out, out.Rect, img, image.Point{}, imgdraw.Src)
	return out
}

// A vector is a PDF canvas that draws images upright; vgpdf flips them.
type vector struct{ *vgpdf.Canvas }

// DrawImage implements vg.Canvas.
func (c vector) DrawImage(rect vg.Rectangle, img image.Image) {
	c.Push()
	defer c.Pop()
	c.Scale(1, -1)
	rect.Min.Y, rect.Max.Y = -rect.Max.Y, -rect.Min.Y
	c.Canvas.DrawImage(rect, img)
}

// fpdf lists the images of a file in random order unless it sorts them by width, so each image of a figure
// has a different width. fpdf also writes the time.
func init() {
	fpdf.SetDefaultCatalogSort(true)
	fpdf.SetDefaultCreationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultModificationDate(time.Unix(0, 0).UTC())
}

func line(width vg.Length, c color.Color) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: width}
}

func box(x, y, width, height vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + width, Y: y + height}}
}

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
