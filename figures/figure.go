// Package figures draws numbers with the plotters of gonum/plot, as PNG to read and as PDF to
// print. Charts draws curves, Maps functions on a plane, and Dots named numbers with intervals.
//
// The bytes of a figure depend on its input alone: the date in a PDF file is always the same.
// Fonts need not be installed.
//
// Text between dollar signs is mathematics, with letters in italics. A low line and a caret make a
// subscript and a superscript of the next character or of what is in braces: "$σ²(y_1)$,
// probability", "$Σ_{zy}$", "$10^{−5}$".
package figures

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"math"
	"slices"
	"time"

	"codeberg.org/go-pdf/fpdf"
	imgdraw "golang.org/x/image/draw"
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

const dpi = 110 // of PNG files

// Figure is a finished page. It is safe for concurrent use.
type Figure struct {
	width, height vg.Length
	draw          func(draw.Canvas)
	err           error // why it cannot be drawn
}

// failed returns a figure that cannot be drawn.
func failed(err error) *Figure { return &Figure{err: fmt.Errorf("figures: %w", err)} }

// Encode returns the figure as a file in the format "png" or "pdf". It returns an error if the format
// is another one, or if the input of the figure has a mistake, such as a curve with an X but no Y.
func (f *Figure) Encode(format string) ([]byte, error) {
	if f.err != nil {
		return nil, f.err
	}
	var out bytes.Buffer
	switch format {
	case "png":
		c := raster{vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(dpi))}
		f.draw(draw.NewCanvas(c, f.width, f.height))
		encoder := png.Encoder{CompressionLevel: png.BestCompression}
		err := encoder.Encode(&out, indexed(c.Image().(*image.RGBA)))
		return out.Bytes(), err
	case "pdf":
		c := &vector{Canvas: vgpdf.New(f.width, f.height)}
		f.draw(draw.NewCanvas(c, f.width, f.height))
		_, err := c.WriteTo(&out)
		return out.Bytes(), err
	}
	return nil, fmt.Errorf("figures: format %q is neither png nor pdf", format)
}

// A raster is a canvas of pixels that does not blur the edges within images.
type raster struct{ *vgimg.Canvas }

// DrawImage implements vg.Canvas.
func (c raster) DrawImage(rect vg.Rectangle, img image.Image) {
	dots := func(l vg.Length) int { return int(math.Round(l.Dots(dpi))) }
	foot := c.Image().Bounds().Dy()
	on := image.Rect(dots(rect.Min.X), foot-dots(rect.Max.Y), dots(rect.Max.X), foot-dots(rect.Min.Y))
	imgdraw.NearestNeighbor.Scale(c.Image(), on, img, img.Bounds(), imgdraw.Src, nil)
}

// indexed returns an opaque image with a palette, which makes a PNG file a third as large: colours are
// rounded to five bits per channel, and the most frequent ones and a grid stand for the others.
func indexed(img *image.RGBA) *image.Paletted {
	count := map[color.RGBA]int{}
	for i, v := range img.Pix {
		img.Pix[i] = v&^7 | v>>5
		if p := img.Pix[max(0, i-3):]; i%4 == 3 {
			count[color.RGBA{p[0], p[1], p[2], p[3]}]++
		}
	}
	colors := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(count[b]-count[a], cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	out := image.NewPaletted(img.Rect, nil)
	for _, c := range colors[:min(len(colors), 192)] {
		out.Palette = append(out.Palette, c)
	}
	for i := range uint8(64) {
		out.Palette = append(out.Palette, color.RGBA{i / 16 * 85, i / 4 % 4 * 85, i % 4 * 85, 255})
	}
	imgdraw.Draw(out, out.Rect, img, image.Point{}, imgdraw.Src)
	return out
}

// A vector is a PDF canvas.
type vector struct {
	*vgpdf.Canvas
	images int
}

// DrawImage implements vg.Canvas. vgpdf draws images upside down. Each image of a file has another
// width, since the library for PDF orders images by width, and those of one width by chance.
func (c *vector) DrawImage(rect vg.Rectangle, img image.Image) {
	c.images++
	out := image.NewRGBA(image.Rect(0, 0, cells+c.images, img.Bounds().Dy()))
	imgdraw.NearestNeighbor.Scale(out, out.Rect, img, img.Bounds(), imgdraw.Src, nil)
	c.Push()
	defer c.Pop()
	c.Scale(1, -1)
	rect.Min.Y, rect.Max.Y = -rect.Max.Y, -rect.Min.Y
	c.Canvas.DrawImage(rect, out)
}

// The library for PDF lists images by chance unless told otherwise, and writes the time.
func init() {
	fpdf.SetDefaultCatalogSort(true)
	fpdf.SetDefaultCreationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultModificationDate(time.Unix(0, 0).UTC())
}

func line(width vg.Length, c color.Color) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: width}
}

// box returns a rectangle by its lower left corner and its size.
func box(x, y, width, height vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + width, Y: y + height}}
}
