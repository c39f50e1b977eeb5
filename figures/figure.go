// Package figures draws figures for print from numbers and labels, with
// the plotters of gonum/plot, as PNG, SVG or PDF. Charts draws curves, Maps
// functions on a plane, and Dots named numbers with intervals.
//
// The bytes of a figure depend on its input alone: they contain no date and no name of
// a machine. Fonts need not be installed.
//
// Text may hold mathematics between dollar signs, set in italics: "$σ²(y₁)$,
// probability". Besides Unicode subscripts and superscripts there are a low line and
// a caret: "$Σ_y$", "$Σ_{zy}$", "$x^a$".
package figures

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"codeberg.org/go-pdf/fpdf"
	imgdraw "golang.org/x/image/draw"
	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Sizes of a figure in print: the widths of a column of text and of a page, and the largest
// height.
const (
	columnWidth = 84 * vg.Millimeter
	pageWidth   = 174 * vg.Millimeter
	pageHeight  = 228 * vg.Millimeter
)

const (
	dpi = 110 // of PNG files

	textSize   = vg.Length(8)
	smallSize  = vg.Length(7)
	pageEdge   = vg.Length(1.5)
	hairline   = vg.Length(0.5)
	tickLength = vg.Length(2.6)
	textGap    = vg.Length(2.5) // between a piece of text and what it belongs to
)

// Figure is a finished page. It is safe for concurrent use.
type Figure struct {
	width, height vg.Length
	draw          func(draw.Canvas)
}

// Encode returns the figure as a file in the format "png" (110 dots per inch),
// "svg" or "pdf". It returns an error for any other format, and if the fonts of a PDF cannot be
// written to the temporary folder.
func (f *Figure) Encode(format string) (data []byte, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case string:
			if !strings.HasPrefix(p, "vgpdf: ") {
				panic(p)
			}
			err = fmt.Errorf("figures: %s", p)
		default:
			panic(p)
		}
	}()
	var (
		canvas vg.Canvas
		file   io.WriterTo
		finish func([]byte) []byte
	)
	switch format {
	case "png":
		c := vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(dpi))
		canvas, file, finish = raster{c}, palettePNG{c}, withResolution
	case "svg":
		c := vgsvg.New(f.width, f.height)
		canvas, file, finish = &vector{Canvas: c}, c, stretched
	case "pdf":
		c := vgpdf.New(f.width, f.height)
		canvas, file, finish = &vector{Canvas: c, pdf: true}, c, withoutDate
	default:
		return nil, fmt.Errorf("figures: format %q is none of png, svg, pdf", format)
	}
	dc := draw.NewCanvas(canvas, f.width, f.height)
	dc.SetColor(white)
	dc.Fill(dc.Rectangle.Path())
	f.draw(dc)
	var out bytes.Buffer
	if _, err := file.WriteTo(&out); err != nil {
		return nil, fmt.Errorf("figures: %s: %w", format, err)
	}
	return finish(out.Bytes()), nil
}

// A raster is a canvas of dots that draws images sharply.
type raster struct{ *vgimg.Canvas }

// DrawImage implements vg.Canvas without smoothing. It does not follow
// rotations and the like.
func (c raster) DrawImage(rect vg.Rectangle, img image.Image) {
	dots := func(l vg.Length) int { return int(math.Round(l.Dots(dpi))) }
	height := c.Image().Bounds().Dy()
	at := image.Rect(dots(rect.Min.X), height-dots(rect.Max.Y), dots(rect.Max.X), height-dots(rect.Min.Y))
	imgdraw.NearestNeighbor.Scale(c.Image(), at, img, img.Bounds(), imgdraw.Src, nil)
}

// FillString implements vg.Canvas with outlines.
func (c raster) FillString(face font.Face, at vg.Point, s string) { c.Fill(outline(face, at, s)) }

// A vector is an SVG or a PDF canvas.
type vector struct {
	vg.Canvas
	images int
	widths []int // of the images
	pdf    bool
}

// FillString implements vg.Canvas, such that the text can be found and copied: of PDF as
// text of the embedded font, which has upright Latin letters only, of SVG as text that is not seen,
// in front of outlines, which need no font.
func (c *vector) FillString(face font.Face, at vg.Point, s string) {
	latin := face.Font.Style != stdfont.StyleItalic &&
		!strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII })
	if !c.pdf || !latin {
		c.Fill(outline(face, at, s))
	}
	if !c.pdf || latin {
		c.Canvas.FillString(face, at, s)
	}
}

// magnify is the number of pixels in the file for one of an image, along each
// axis. Viewers that smooth what they magnify blur a part of a pixel only.
const magnify = 3

// DrawImage implements vg.Canvas for images of at most 256 colours. No two
// images of a file have the same width: the library for PDF orders images by
// their width, and those of one width by chance.
func (c *vector) DrawImage(rect vg.Rectangle, img image.Image) {
	c.images++
	b := img.Bounds()
	w, h := b.Dx()*magnify+c.images, b.Dy()*magnify
	for slices.Contains(c.widths, w) {
		w++
	}
	c.widths = append(c.widths, w)
	out := image.NewPaletted(image.Rect(0, 0, w, h), nil)
	known := make(map[color.Color]uint8)
	for y := range h {
		for x := range w {
			clr := img.At(b.Min.X+x*b.Dx()/w, b.Min.Y+y/magnify)
			if _, ok := known[clr]; !ok {
				known[clr] = uint8(len(known))
				out.Palette = append(out.Palette, color.NRGBAModel.Convert(clr))
			}
			out.SetColorIndex(x, y, known[clr])
		}
	}
	if c.pdf { // vgpdf draws images upside down.
		c.Push()
		defer c.Pop()
		c.Scale(1, -1)
		rect.Min.Y, rect.Max.Y = -rect.Max.Y, -rect.Min.Y
	}
	c.Canvas.DrawImage(rect, out)
}

// withResolution adds the chunk that tells programs how large a pixel of a PNG
// file is. It stands behind the header chunk.
func withResolution(file []byte) []byte {
	const (
		header   = 8 + 4 + 4 + 13 + 4      // signature; length, name, data and checksum of IHDR
		perMetre = (dpi*10000 + 127) / 254 // pixels
	)
	data := binary.BigEndian.AppendUint32([]byte("pHYs"), perMetre)
	data = append(binary.BigEndian.AppendUint32(data, perMetre), 1)
	chunk := append([]byte{0, 0, 0, byte(len(data) - 4)}, data...)
	return slices.Insert(file, header, binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(data))...)
}

// stretched makes an SVG file say what its images are, that they fill their rectangles with
// sharp pixels, and that its text, which is in front of outlines, is not seen.
func stretched(file []byte) []byte {
	file = bytes.ReplaceAll(file, []byte("<text "), []byte(`<text fill-opacity="0" `))
	return bytes.ReplaceAll(file, []byte(`xlink:href="data:image/jpg;`),
		[]byte(`preserveAspectRatio="none" style="image-rendering:pixelated" xlink:href="data:image/png;`))
}

// The library for PDF lists images by chance unless told otherwise.
func init() { fpdf.SetDefaultCatalogSort(true) }

var date = regexp.MustCompile(`/(Creation|Mod)Date \(D:\d{14}\)`)

// withoutDate overwrites the dates of a PDF file with spaces, as it is full of
// offsets.
func withoutDate(file []byte) []byte {
	return date.ReplaceAllFunc(file, func(b []byte) []byte { return bytes.Repeat([]byte(" "), len(b)) })
}

// require panics unless a condition of a figure holds: anything else is a mistake of
// the caller.
func require(ok bool, format string, args ...any) {
	if !ok {
		panic(fmt.Sprintf("figures: "+format, args...))
	}
}

func line(width vg.Length, c color.Color) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: width}
}

// box returns a rectangle by its lower left corner and its size.
func box(x, y, width, height vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + width, Y: y + height}}
}
