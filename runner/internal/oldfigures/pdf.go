package figures

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image"
	"math"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// pdfCanvas is a canvas for a Portable Document Format file of one page. It is here
// because a general PDF library dates its files and orders images of one size
// by chance, so that no two files are the same.
type pdfCanvas struct {
	pens
	width, height vg.Length
	content       bytes.Buffer
	images        []*image.Paletted
}

var _ encoder = (*pdfCanvas)(nil)

func newPDF(width, height vg.Length) *pdfCanvas {
	c := &pdfCanvas{pens: make(pens, 1), width: width, height: height}
	vg.Initialize(c)
	c.content.WriteString("1 j\n") // round joins, as in the other formats
	return c
}

// Push implements vg.Canvas.
func (c *pdfCanvas) Push() {
	c.push()
	c.content.WriteString("q\n")
}

// Pop implements vg.Canvas.
func (c *pdfCanvas) Pop() {
	c.pop()
	c.content.WriteString("Q\n")
}

// Rotate implements vg.Canvas.
func (c *pdfCanvas) Rotate(rad float64) {
	sin, cos := math.Sincos(rad)
	fmt.Fprintf(&c.content, "%s %s %s %s 0 0 cm\n", factor(cos), factor(sin), factor(-sin), factor(cos))
}

// Translate implements vg.Canvas.
func (c *pdfCanvas) Translate(p vg.Point) {
	fmt.Fprintf(&c.content, "1 0 0 1 %s %s cm\n", number(p.X), number(p.Y))
}

// Scale implements vg.Canvas.
func (c *pdfCanvas) Scale(x, y float64) {
	fmt.Fprintf(&c.content, "%s 0 0 %s 0 0 cm\n", factor(x), factor(y))
}

// color sets the colour for an operator, rg to fill and RG to stroke.
func (c *pdfCanvas) color(op string) {
	r, g, b := rgb(c.top().color)
	for _, v := range []uint8{r, g, b} {
		c.content.WriteString(round(float64(v)/0xff, 1e4) + " ")
	}
	c.content.WriteString(op + "\n")
}

func (c *pdfCanvas) path(p vg.Path) {
	walk(p, func(op byte, pts ...vg.Point) {
		for _, p := range pts {
			c.content.WriteString(number(p.X) + " " + number(p.Y) + " ")
		}
		c.content.WriteString(map[byte]string{'M': "m\n", 'L': "l\n", 'C': "c\n", 'Z': "h\n"}[op])
	})
}

// Stroke implements vg.Canvas.
func (c *pdfCanvas) Stroke(p vg.Path) {
	pen := c.top()
	if pen.width <= 0 {
		return
	}
	c.color("RG")
	fmt.Fprintf(&c.content, "%s w [", number(pen.width))
	for _, d := range pen.dash {
		c.content.WriteString(number(d) + " ")
	}
	fmt.Fprintf(&c.content, "] %s d\n", number(pen.offset))
	c.path(p)
	c.content.WriteString("S\n")
}

// Fill implements vg.Canvas.
func (c *pdfCanvas) Fill(p vg.Path) {
	c.color("rg")
	c.path(p)
	c.content.WriteString("f\n")
}

// FillString implements vg.Canvas.
func (c *pdfCanvas) FillString(face font.Face, pt vg.Point, line string) {
	c.Fill(outline(face, pt, line))
}

// DrawImage implements vg.Canvas for images with a palette.
func (c *pdfCanvas) DrawImage(rect vg.Rectangle, img image.Image) {
	p, ok := img.(*image.Paletted)
	if !ok {
		panic(fmt.Sprintf("figures: pdf: image of type %T has no palette", img))
	}
	c.images = append(c.images, p)
	size := rect.Size()
	fmt.Fprintf(&c.content, "q %s 0 0 %s %s %s cm /I%d Do Q\n",
		number(size.X), number(size.Y), number(rect.Min.X), number(rect.Min.Y), len(c.images)-1)
}

// The numbers of the objects that every file has; images follow.
const (
	pdfCatalog = 1 + iota
	pdfPages
	pdfPage
	pdfContent
	pdfImage
)

// pdfMagnify is the number of pixels in the file for one of an image, along
// each axis. Some viewers smooth what they magnify, although the file says
// not to; they then blur a part of a pixel only.
const pdfMagnify = 3

func (c *pdfCanvas) encode() ([]byte, error) {
	var (
		out     bytes.Buffer
		offsets []int
	)
	// The second line tells programs that carry files that this one is binary.
	out.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	begin := func() {
		offsets = append(offsets, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n", len(offsets))
	}
	dict := func(format string, args ...any) {
		begin()
		fmt.Fprintf(&out, "<< "+format+" >>\nendobj\n", args...)
	}
	stream := func(data []byte, format string, args ...any) error {
		z, err := deflate(data)
		if err != nil {
			return fmt.Errorf("figures: pdf: %w", err)
		}
		begin()
		fmt.Fprintf(&out, "<< "+format, args...)
		fmt.Fprintf(&out, " /Filter /FlateDecode /Length %d >>\nstream\n", len(z))
		out.Write(z)
		out.WriteString("\nendstream\nendobj\n")
		return nil
	}

	dict("/Type /Catalog /Pages %d 0 R", pdfPages)
	dict("/Type /Pages /Kids [%d 0 R] /Count 1", pdfPage)
	var refs bytes.Buffer
	for i := range c.images {
		fmt.Fprintf(&refs, "/I%d %d 0 R ", i, pdfImage+i)
	}
	dict("/Type /Page /Parent %d 0 R /MediaBox [0 0 %s %s] /Contents %d 0 R /Resources << /XObject << %s>> >>",
		pdfPages, number(c.width), number(c.height), pdfContent, refs.Bytes())
	if err := stream(c.content.Bytes(), ""); err != nil {
		return nil, err
	}
	for _, img := range c.images {
		b := img.Bounds()
		var colors, pixels []byte
		for _, clr := range img.Palette {
			r, g, b := rgb(clr)
			colors = append(colors, r, g, b)
		}
		for y := range b.Dy() * pdfMagnify {
			for x := range b.Dx() * pdfMagnify {
				pixels = append(pixels, img.ColorIndexAt(b.Min.X+x/pdfMagnify, b.Min.Y+y/pdfMagnify))
			}
		}
		err := stream(pixels, "/Type /XObject /Subtype /Image /Width %d /Height %d /BitsPerComponent 8"+
			" /ColorSpace [/Indexed /DeviceRGB %d <%x>] /Interpolate false",
			b.Dx()*pdfMagnify, b.Dy()*pdfMagnify, len(img.Palette)-1, colors)
		if err != nil {
			return nil, err
		}
	}

	xref := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root %d 0 R >>\nstartxref\n%d\n%%%%EOF\n",
		len(offsets)+1, pdfCatalog, xref)
	return out.Bytes(), nil
}

func deflate(data []byte) ([]byte, error) {
	var buf bytes.Buffer
	z, err := zlib.NewWriterLevel(&buf, zlib.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(data); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}
