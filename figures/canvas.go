package figures

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"math"
	"regexp"
	"slices"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/draw"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// dpi is the resolution of PNG files.
const dpi = 110

// A raster is a canvas of dots that draws images sharply.
type raster struct{ *vgimg.Canvas }

// DrawImage implements vg.Canvas without smoothing. It does not follow
// rotations and the like.
func (c raster) DrawImage(rect vg.Rectangle, img image.Image) {
	dots := func(l vg.Length) int { return int(math.Round(l.Dots(dpi))) }
	height := c.Image().Bounds().Dy()
	at := image.Rect(dots(rect.Min.X), height-dots(rect.Max.Y), dots(rect.Max.X), height-dots(rect.Min.Y))
	draw.NearestNeighbor.Scale(c.Image(), at, img, img.Bounds(), draw.Src, nil)
}

// A vector is an SVG or a PDF canvas.
type vector struct {
	vg.Canvas
	images int
	pdf    bool
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

// stretched makes an SVG file say what its images are, and that they fill their
// rectangles with sharp pixels.
func stretched(file []byte) []byte {
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
