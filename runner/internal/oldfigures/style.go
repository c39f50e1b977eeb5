package figures

import (
	"image/color"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Widths of a figure in print.
const (
	columnWidth = 80 * vg.Millimeter
	pageWidth   = 170 * vg.Millimeter
)

// dpi is the resolution of PNG files; dot is one of their pixels. Data areas
// begin and end on whole dots, so that a map is sharp in every format.
const (
	dpi = 300
	dot = vg.Inch / dpi
)

const (
	labelSize = vg.Length(9)
	tickSize  = vg.Length(8)
	textSize  = vg.Length(7) // beside points

	hairline   = vg.Length(0.5)
	tickLength = vg.Length(2.5)
	minorTick  = vg.Length(1.4)
	// textGap separates a piece of text from what it belongs to.
	textGap = vg.Length(2.5)
)

var (
	ink   = color.NRGBA{R: 0x1a, G: 0x1a, B: 0x1a, A: 0xff}
	paper = color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff}
)

func line(width vg.Length, c color.Color) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: width}
}

// words is the style of a piece of text that is aligned to its anchor.
func words(size vg.Length, x text.XAlignment, y text.YAlignment) text.Style {
	return text.Style{
		Color:   ink,
		Font:    font.Font{Typeface: "Liberation", Variant: "Serif", Size: size},
		XAlign:  x,
		YAlign:  y,
		Handler: typesetter{},
	}
}

// down and up round a length to whole dots.
func down(l vg.Length) vg.Length { return vg.Length(int(l/dot+1e-6)) * dot }
func up(l vg.Length) vg.Length   { return vg.Length(int(l/dot+1-1e-6)) * dot }
