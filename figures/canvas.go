package figures

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"math"
	"regexp"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/draw"
	stdfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// dpi is the resolution of PNG files.
const dpi = 110

// A raster is a canvas of dots that draws text as outlines and images sharply.
type raster struct{ *vgimg.Canvas }

// FillString implements vg.Canvas.
func (c raster) FillString(face font.Face, at vg.Point, line string) {
	c.Fill(outline(face, at, line))
}

// DrawImage implements vg.Canvas without smoothing. It does not follow
// rotations and the like.
func (c raster) DrawImage(rect vg.Rectangle, img image.Image) {
	dots := func(l vg.Length) int { return int(math.Round(l.Dots(dpi))) }
	height := c.Image().Bounds().Dy()
	at := image.Rect(dots(rect.Min.X), height-dots(rect.Max.Y), dots(rect.Max.X), height-dots(rect.Min.Y))
	draw.NearestNeighbor.Scale(c.Image(), at, img, img.Bounds(), draw.Src, nil)
}

// A vector is an SVG or a PDF canvas that draws text as outlines.
type vector struct {
	vg.Canvas
	images int
	pdf    bool
}

// FillString implements vg.Canvas.
func (c *vector) FillString(face font.Face, at vg.Point, line string) {
	c.Fill(outline(face, at, line))
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
	source := image.NewPaletted(b, nil)
	known := make(map[color.Color]uint8)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			clr := img.At(x, y)
			if _, ok := known[clr]; !ok {
				known[clr] = uint8(len(known))
				source.Palette = append(source.Palette, color.NRGBAModel.Convert(clr))
			}
			source.SetColorIndex(x, y, known[clr])
		}
	}
	w, h := b.Dx()*magnify+c.images, b.Dy()*magnify
	out := image.NewPaletted(image.Rect(0, 0, w, h), source.Palette)
	for y := range h {
		for x := range w {
			out.SetColorIndex(x, y, source.ColorIndexAt(b.Min.X+x*b.Dx()/w, b.Min.Y+y/magnify))
		}
	}
	if !c.pdf {
		c.Canvas.DrawImage(rect, out)
		return
	}
	// vgpdf draws images upside down.
	c.Push()
	c.Scale(1, -1)
	rect.Min.Y, rect.Max.Y = -rect.Max.Y, -rect.Min.Y
	c.Canvas.DrawImage(rect, out)
	c.Pop()
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
			case sfnt.SegmentOpCubeTo:
				path.CubeTo(p(s.Args[0]), p(s.Args[1]), p(s.Args[2]))
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

// withResolution adds the chunk that tells programs how large a pixel of a PNG
// file is. It stands behind the header chunk.
func withResolution(file []byte) []byte {
	const (
		header   = 8 + 4 + 4 + 13 + 4      // signature; length, name, data and checksum of IHDR
		perMetre = (dpi*10000 + 127) / 254 // pixels
	)
	chunk := binary.BigEndian.AppendUint32([]byte("pHYs"), perMetre)
	chunk = append(binary.BigEndian.AppendUint32(chunk, perMetre), 1)
	out := binary.BigEndian.AppendUint32(bytes.Clone(file[:header]), uint32(len(chunk)-4))
	out = binary.BigEndian.AppendUint32(append(out, chunk...), crc32.ChecksumIEEE(chunk))
	return append(out, file[header:]...)
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
