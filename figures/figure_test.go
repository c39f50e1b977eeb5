package figures

import (
	"bytes"
	"compress/zlib"
	"image"
	"image/color"
	"image/png"
	"io"
	"regexp"
	"strconv"
	"testing"
	"time"

	check "closedform/internal/checktest"
)

// testFigures have every kind of panel, curve and value outside a scale.
func testFigures() []*Figure {
	m, s := flagged()
	m.Points, m.Class = [][]float64{{0.5, 0.5}}, []int{1}
	m.Curves = []Curve{{Name: "boundary", Kind: Reference, X: []float64{-2, 2}, Y: []float64{-2, 2}}}
	field, scale := sweep()
	return []*Figure{
		Maps([]Row{{s, []Map{m, m}}, {s, []Map{m}}}, Labels{Classes: 2}),
		Maps([]Row{{scale, []Map{field}}}, Labels{X: Axis{Label: "$ρ$"}, Y: Axis{Log: true}}),
		Charts(testCharts(), "a note"),
	}
}

func decode(f *Figure) image.Image {
	return check.Must(png.Decode(bytes.NewReader(check.Must(f.Encode("png")))))
}

// near reports whether two colours are the same but for rounding to five bits per channel.
func near(a, b color.Color) bool {
	p, q := color.NRGBAModel.Convert(a).(color.NRGBA), color.NRGBAModel.Convert(b).(color.NRGBA)
	d := func(a, b uint8) bool { return max(a, b)-min(a, b) < 8 }
	return d(p.R, q.R) && d(p.G, q.G) && d(p.B, q.B)
}

// The same figures are drawn again, in a later second.
func TestSameBytes(t *testing.T) {
	draw := func() (files [][]byte) {
		for _, f := range testFigures() {
			files = append(files, check.Must(f.Encode("png")), check.Must(f.Encode("pdf")))
		}
		return files
	}
	before := draw()
	time.Sleep(1100 * time.Millisecond)
	for i, after := range draw() {
		check.Equal(t, "same bytes", bytes.Equal(after, before[i]), true)
	}
}

// Images of a PDF file are upright: the product of the matrices before each has a positive scale.
func TestPDF(t *testing.T) {
	operator := regexp.MustCompile(`(?m)^q | (-?[\d.]+) -?[\d.]+ -?[\d.]+ cm|/I[0-9a-f]+ Do Q|^[qQ]$`)
	images := 0
	for _, f := range testFigures() {
		_, stream, _ := bytes.Cut(check.Must(f.Encode("pdf")), []byte("stream\n"))
		content := check.Must(io.ReadAll(check.Must(zlib.NewReader(bytes.NewReader(stream)))))
		stack := []float64{1} // the vertical scale of each state
		for _, op := range operator.FindAllStringSubmatch(string(content), -1) {
			top := len(stack) - 1
			switch scale, err := strconv.ParseFloat(op[1], 64); {
			case err == nil:
				stack[top] *= scale
			case op[0][0] == 'q':
				stack = append(stack, stack[top])
			default:
				if op[0] != "Q" {
					images++
					check.Equal(t, "an image is upright", stack[top] > 0, true)
				}
				stack = stack[:top]
			}
		}
	}
	check.Equal(t, "images of 4 maps and 3 bars", images, 2+1+2+1+1)
}
