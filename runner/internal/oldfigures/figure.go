// Package figures draws the plates of the paper: it turns numbers and labels
// into a page that is ready for a journal, as PNG, SVG or PDF. Page draws maps
// of fields, Charts draws curves, DotPlot draws numbers that have names.
//
// The bytes of a figure depend on its input alone. They carry no date, no
// name of a machine and no trace of an iteration order, so that two runs can
// be compared by checksum. Letters are drawn as outlines; they look the same
// where the fonts are not installed.
//
// Text may hold mathematics between dollar signs, where letters are set in
// italics: "$σ²(y₁)$, probability". The Unicode subscripts and superscripts
// are set from the ordinary letters of the font, in small; what they lack is
// written with a low line or a caret within the dollar signs: "$Σ_y$",
// "$Σ_{zy}$", "$x^a$".
package figures

import (
	"fmt"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Figure is a finished page. Its methods may be called from several
// goroutines.
type Figure struct {
	width, height vg.Length
	draw          func(draw.Canvas)
}

// encoder is a canvas that knows how to write itself as a file.
type encoder interface {
	vg.Canvas
	encode() ([]byte, error)
}

// Encode returns the figure as a file in the format "png" (300 dots per inch),
// "svg" or "pdf". Any other format is an error.
func (f *Figure) Encode(format string) ([]byte, error) {
	var c encoder
	switch format {
	case "png":
		c = newPNG(f.width, f.height)
	case "svg":
		c = newSVG(f.width, f.height)
	case "pdf":
		c = newPDF(f.width, f.height)
	default:
		return nil, fmt.Errorf("figures: format %q is none of png, svg, pdf", format)
	}
	f.draw(draw.NewCanvas(c, f.width, f.height))
	return c.encode()
}
