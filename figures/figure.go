// Package figures draws the figures of the paper from numbers and labels, with
// the plotters of gonum/plot, as PNG, SVG or PDF. Charts draws curves, Maps
// fields over a plane, Dots numbers that have names, and Intervals numbers
// against thresholds.
//
// The bytes of a figure depend on its input alone: they carry no date and no name of
// a machine. Letters are outlines; they look the same where fonts are not installed.
//
// A curve gets its colour, marker and dashes by its name: see [StyleOf].
//
// Text may hold mathematics between dollar signs, set in italics: "$σ²(y₁)$,
// probability". Besides Unicode subscripts and superscripts there are a low line and
// a caret: "$Σ_y$", "$Σ_{zy}$", "$x^a$".
package figures

import (
	"bytes"
	"fmt"
	"image/color"
	"io"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Widths of a figure in print, of a column of text and of a page.
const (
	columnWidth = 84 * vg.Millimeter
	pageWidth   = 174 * vg.Millimeter
)

// Sizes of text, in print.
const (
	textSize  = vg.Length(8)
	smallSize = vg.Length(7)
)

const (
	pageEdge   = vg.Length(1.5)
	hairline   = vg.Length(0.5)
	tickLength = vg.Length(2.6)
	textGap    = vg.Length(2.5) // between a piece of text and what it belongs to
)

// Figure is a finished page. Its methods may be called from several
// goroutines.
type Figure struct {
	width, height vg.Length
	draw          func(draw.Canvas)
}

// Encode returns the figure as a file in the format "png" (110 dots per inch),
// "svg" or "pdf". Any other format is an error.
func (f *Figure) Encode(format string) ([]byte, error) {
	var (
		canvas vg.Canvas
		file   io.WriterTo
		finish func([]byte) []byte
	)
	switch format {
	case "png":
		c := vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(dpi))
		canvas, file, finish = raster{c}, vgimg.PngCanvas{Canvas: c}, withResolution
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
	fill(dc, dc.Rectangle, white)
	f.draw(dc)
	var out bytes.Buffer
	if _, err := file.WriteTo(&out); err != nil {
		return nil, fmt.Errorf("figures: %s: %w", format, err)
	}
	return finish(out.Bytes()), nil
}

// require panics unless a figure can be drawn: what it is asked for is a mistake of
// the program.
func require(ok bool, format string, args ...any) {
	if !ok {
		panic(fmt.Sprintf("figures: "+format, args...))
	}
}

func line(width vg.Length, c color.Color) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: width}
}

func fill(dc draw.Canvas, r vg.Rectangle, c color.Color) {
	dc.SetColor(c)
	dc.Fill(r.Path())
}

// box returns a rectangle by its lower left corner and its size.
func box(x, y, width, height vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + width, Y: y + height}}
}
