package figures

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"math"
	"strings"

	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// svgCanvas is a canvas for Scalable Vector Graphics. A letter is defined once, in
// units of its font, and used where it occurs, which keeps the file small.
type svgCanvas struct {
	pens
	width, height vg.Length
	body, defs    bytes.Buffer
	glyphs        map[letter]int
	groups        []int // the open groups of every pushed state
	// The last path that was filled and where its element ends: a stroke of
	// the same path right behind it goes into the same element.
	filled string
	end    int
	err    error
}

type letter struct {
	font  *sfnt.Font
	index sfnt.GlyphIndex
}

var _ encoder = (*svgCanvas)(nil)

func newSVG(width, height vg.Length) *svgCanvas {
	c := &svgCanvas{
		pens:   make(pens, 1),
		width:  width,
		height: height,
		glyphs: make(map[letter]int),
		groups: make([]int, 1),
	}
	vg.Initialize(c)
	return c
}

// Push implements vg.Canvas.
func (c *svgCanvas) Push() {
	c.push()
	c.groups = append(c.groups, 0)
}

// Pop implements vg.Canvas.
func (c *svgCanvas) Pop() {
	c.pop()
	last := len(c.groups) - 1
	c.body.WriteString(strings.Repeat("</g>\n", c.groups[last]))
	c.groups = c.groups[:last]
}

func (c *svgCanvas) transform(format string, args ...any) {
	fmt.Fprintf(&c.body, "<g transform=\""+format+"\">\n", args...)
	c.groups[len(c.groups)-1]++
}

// Rotate implements vg.Canvas.
func (c *svgCanvas) Rotate(rad float64) { c.transform("rotate(%s)", factor(rad*180/math.Pi)) }

// Translate implements vg.Canvas.
func (c *svgCanvas) Translate(p vg.Point) { c.transform("translate(%s,%s)", number(p.X), number(p.Y)) }

// Scale implements vg.Canvas.
func (c *svgCanvas) Scale(x, y float64) { c.transform("scale(%s,%s)", factor(x), factor(y)) }

func (c *svgCanvas) color() string {
	r, g, b := rgb(c.top().color)
	return fmt.Sprintf("#%02x%02x%02x", r, g, b)
}

// pathData writes the data of a path, its points relative to where the pen
// stands, which is shorter. The pen moves in whole hundredths of a point, so
// that roundings do not add up.
func pathData(p vg.Path) string {
	var d strings.Builder
	type spot struct{ x, y int }
	var at, start spot
	walk(p, func(op byte, pts ...vg.Point) {
		d.WriteByte(op - 'A' + 'a')
		next := start // where Z leads
		for i, p := range pts {
			next = spot{int(math.Round(float64(p.X) * 100)), int(math.Round(float64(p.Y) * 100))}
			dx, dy := number(float64(next.x-at.x)/100), number(float64(next.y-at.y)/100)
			if i > 0 && dx[0] != '-' {
				d.WriteByte(' ')
			}
			d.WriteString(dx)
			if dy[0] != '-' {
				d.WriteByte(' ')
			}
			d.WriteString(dy)
		}
		at = next
		if op == 'M' {
			start = at
		}
	})
	return d.String()
}

// Stroke implements vg.Canvas.
func (c *svgCanvas) Stroke(p vg.Path) {
	pen := c.top()
	if pen.width <= 0 {
		return
	}
	if data := pathData(p); data == c.filled && c.body.Len() == c.end {
		c.body.Truncate(c.end - len("/>\n"))
	} else {
		fmt.Fprintf(&c.body, `<path d="%s"`, data)
	}
	fmt.Fprintf(&c.body, ` stroke="%s" stroke-width="%s"`, c.color(), number(pen.width))
	if len(pen.dash) > 0 {
		dash := make([]string, len(pen.dash))
		for i, d := range pen.dash {
			dash[i] = number(d)
		}
		fmt.Fprintf(&c.body, ` stroke-dasharray="%s" stroke-dashoffset="%s"`,
			strings.Join(dash, ","), number(pen.offset))
	}
	c.body.WriteString("/>\n")
}

// Fill implements vg.Canvas.
func (c *svgCanvas) Fill(p vg.Path) {
	c.filled = pathData(p)
	fmt.Fprintf(&c.body, "<path d=\"%s\" fill=\"%s\"/>\n", c.filled, c.color())
	c.end = c.body.Len()
}

// FillString implements vg.Canvas.
func (c *svgCanvas) FillString(face font.Face, pt vg.Point, line string) {
	scale := float64(face.Font.Size) / float64(face.Face.UnitsPerEm())
	fmt.Fprintf(&c.body, `<g fill="%s" transform="translate(%s,%s) scale(%[4]s,-%[4]s)">`,
		c.color(), number(pt.X), number(pt.Y), factor(scale))
	for _, g := range glyphs(face.Face, line) {
		if id, ok := c.define(letter{face.Face, g.index}); ok {
			fmt.Fprintf(&c.body, `<use xlink:href="#g%d" x="%d"/>`, id, g.x)
		}
	}
	c.body.WriteString("</g>\n")
}

// define returns the number of a letter's outline, or false if it is blank.
func (c *svgCanvas) define(l letter) (id int, ok bool) {
	if id, ok := c.glyphs[l]; ok {
		return id, id > 0
	}
	segments := contours(l.font, l.index)
	if len(segments) == 0 {
		c.glyphs[l] = 0
		return 0, false
	}
	id = len(c.glyphs) + 1
	c.glyphs[l] = id
	fmt.Fprintf(&c.defs, `<path id="g%d" d="`, id)
	for _, s := range segments {
		// The order of sfnt's operations: move, line, quadratic, cubic.
		n := [...]int{1, 1, 2, 3}[s.Op]
		c.defs.WriteByte("MLQC"[s.Op])
		for i, p := range s.Args[:n] {
			if i > 0 {
				c.defs.WriteByte(' ')
			}
			fmt.Fprintf(&c.defs, "%d,%d", int(p.X), int(p.Y))
		}
	}
	c.defs.WriteString("Z\"/>\n")
	return id, true
}

// DrawImage implements vg.Canvas. The cells stay sharp at any size.
func (c *svgCanvas) DrawImage(rect vg.Rectangle, img image.Image) {
	var buf bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestCompression}
	if err := enc.Encode(&buf, img); err != nil {
		c.err = fmt.Errorf("figures: svg: %w", err)
		return
	}
	size := rect.Size()
	fmt.Fprintf(&c.body, `<image x="%s" y="%s" width="%s" height="%s" transform="scale(1,-1)"`+
		` preserveAspectRatio="none" style="image-rendering:pixelated"`+
		" xlink:href=\"data:image/png;base64,%s\"/>\n",
		number(rect.Min.X), number(-rect.Max.Y), number(size.X), number(size.Y),
		base64.StdEncoding.EncodeToString(buf.Bytes()))
}

func (c *svgCanvas) encode() ([]byte, error) {
	if c.err != nil {
		return nil, c.err
	}
	var out bytes.Buffer
	w, h := number(c.width), number(c.height)
	fmt.Fprintf(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"+
		`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"`+
		" width=\"%[1]spt\" height=\"%[2]spt\" viewBox=\"0 0 %[1]s %[2]s\">\n", w, h)
	out.WriteString("<defs>\n")
	out.Write(c.defs.Bytes())
	fmt.Fprintf(&out, "</defs>\n<rect width=\"%s\" height=\"%s\" fill=\"#ffffff\"/>\n", w, h)
	fmt.Fprintf(&out, "<g transform=\"matrix(1,0,0,-1,0,%s)\" fill=\"none\" stroke-linejoin=\"round\">\n", h)
	out.Write(c.body.Bytes())
	out.WriteString("</g>\n</svg>\n")
	return out.Bytes(), nil
}
