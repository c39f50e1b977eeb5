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
	"image"
	"image/color"
	imgdraw "image/draw"
	"image/png"
	"maps"
	"slices"
	"time"

	"codeberg.org/go-pdf/fpdf"
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
