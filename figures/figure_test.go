package figures

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"regexp"
	"slices"
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

// flagged returns a small map with values that its scale cannot show.
func flagged() (Map, Axis) {
	nan, inf := math.NaN(), math.Inf(1)
	g := []float64{-2, 0, 2}
	z := []float64{-1e-9, -inf, 0, nan, 0.5, 1, 0.25, inf, 1.5}
	return Map{X: g, Y: g, Z: z}, Axis{Label: "variance", Max: 1}
}

// sweep is a map with logarithmic axes, a logarithmic scale, curves and gaps.
func sweep() (Map, Axis) {
	x, y := []float64{0.05, 0.2, 1.5}, []float64{1e-3, 1, 1e3, 1e4}
	z := []float64{1e-4, 1e-3, 1e-2, 0, 0.1, 1, math.NaN(), 0.5, 0.5, 1e-3, 1e-3, 2}
	return Map{X: x, Y: y, Z: z, Curves: []Curve{
		{Name: "slope", Kind: Line, X: x, Y: []float64{1e-2, 1, 10}},
		{Name: "boundary", Kind: Reference, X: []float64{0.01, 2}, Y: []float64{1, 1}},
		{Name: "best", X: []float64{0.1, 0.3, 9, -1}, Y: []float64{10, 100, 100, 1}},
	}}, Axis{Label: "error", Min: 1e-4, Max: 1, Log: true}
}

// Pixels of the picture have the colours of their values, the first row of the grid at the foot.
func TestMapColours(t *testing.T) {
	first, last := anchors[0].(color.NRGBA), anchors[len(anchors)-1].(color.NRGBA)
	for z, flag := range map[float64]color.NRGBA{2: aboveColor, math.Inf(1): infiniteColor} {
		m := Map{X: []float64{0, 1}, Y: []float64{0, 1}, Z: []float64{0, 1, -1, z}}
		img := decode(Maps([]Row{{Axis{Max: 1}, []Map{m}}}, Labels{}))
		w, h := img.Bounds().Dx(), img.Bounds().Dy()
		for i, c := range []color.NRGBA{first, last, belowColor, flag} {
			x, y := w/4+i%2*w/3, h*6/10-i/2*h/3
			got := img.At(x, y)
			check.True(t, near(got, c), "value %g at %d, %d: %v, want %v", m.Z[i], x, y, got, c)
		}
		hatched := 0
		for x := w / 2; x < w*3/4; x++ {
			if !near(img.At(x, h/4), flag) {
				hatched++
			}
		}
		check.Equal(t, fmt.Sprint("pattern of ", z), hatched > 2, flag == infiniteColor)
	}
}

// The tiles of a short grid have the same size, however uneven the grid is. A long grid stays as it is.
func TestTiles(t *testing.T) {
	uneven, long := []float64{0.2, 0.3, 0.5}, []float64{0, 1, 2, 3, 4, 5, 6, 7, 8}
	z := slices.Repeat([]float64{-1, 0.5, 2}, 9) // a colour for each column
	img := decode(Maps([]Row{{Axis{Max: 1}, []Map{{X: uneven, Y: long, Z: z}}}}, Labels{Tiles: true}))
	var width [2]int
	for x := range img.Bounds().Dx() {
		for i, c := range []color.NRGBA{belowColor, aboveColor} {
			if near(img.At(x, img.Bounds().Dy()/3), c) {
				width[i]++
			}
		}
	}
	between := width[0] - width[1]
	check.True(t, width[0] > dpi/2 && -3 < between && between < 3, "columns of %d pixels", width)

	z = make([]float64, 9) // no legend: the names of the columns are at the foot
	img = decode(Maps([]Row{{Axis{Max: 1}, []Map{{X: uneven, Y: []float64{1, 2, 4}, Z: z}}}}, Labels{Tiles: true}))
	b, named := img.Bounds(), [3]bool{}
	for x := dpi / 3; x < b.Dx(); x++ {
		for y := b.Dy() - dpi/3; y < b.Dy(); y++ {
			third := 3 * x / b.Dx()
			named[third] = named[third] || !near(img.At(x, y), white)
		}
	}
	check.True(t, 4*b.Dy() < 3*b.Dx(), "%v is not wide", b)
	check.Equal(t, "columns with a name", named, [3]bool{true, true, true})

	x, places := Axis{Label: "$λ$"}.tiled(uneven)
	got := places([]float64{0.2, 0.3, 0.4, 0.5, 0.6})
	check.NearAll(t, "places", got, []float64{-2, -1, -0.5, 0, 0.5}, 1e-12)
	check.Equal(t, "axis", x, Axis{Label: "$λ$", Min: -2.5, Max: 0.5, rows: "0.5\n0.3\n0.2\n"})
	same, places := Axis{Max: 8}.tiled(long)
	check.Equal(t, "long grid", same, Axis{Max: 8})
	check.Equal(t, "place on a long grid", places([]float64{2.5}), []float64{2.5})
}

func TestMapLegend(t *testing.T) {
	m, s := flagged()
	field, scale := sweep()
	outside := Curve{Name: "outside", Kind: Line, X: []float64{2, 2}, Y: []float64{1e-3, 1e3}}
	field.Curves = append(field.Curves, outside)
	for _, test := range []struct {
		field Map
		scale Axis
		below string
		want  []string
	}{
		{m, s, "negative", []string{"negative", "above scale", "infinite", "no value"}},
		{field, scale, "", []string{"slope", "boundary", "best", "below scale", "above scale", "no value"}},
	} {
		var got []string
		styles := styles{known: map[string]style{}, flags: map[color.Color]bool{}}
		styles.mapPlotters(test.field, Axis{Min: 0.05, Max: 1.5}, Axis{Min: 1e-3, Max: 1e4}, test.scale)
		var p page
		p.explainMaps(styles, test.below)
		for _, k := range p.keys {
			got = append(got, k.text)
		}
		check.Equal(t, "legend", got, test.want)
	}
}
