package figures

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gonum.org/v1/plot/vg"

	"closedform/internal/check"
)

// testFigures have every kind of panel, curve, dot and value outside a scale.
func testFigures() []*Figure {
	m, s := flagged()
	m.Points = []Point{{0.5, 0.5, 1}}
	m.Boundary = []Segment{{-2, -2, 2, 2}}
	field, scale := sweep()
	return []*Figure{
		Maps([]Row{{s, []Map{m, m}}, {s, []Map{m}}}, Labels{Classes: []string{"class 1", "class 2"}}),
		Maps([]Row{{scale, []Map{field}}}, Labels{X: "$ρ$"}), Charts(testCharts()), Dots(dotPlot()),
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

// digests are the checksums of figures in all formats.
func digests(figures []*Figure) string {
	var out strings.Builder
	for _, f := range figures {
		for _, format := range []string{"png", "pdf"} {
			fmt.Fprintf(&out, "%s %x\n", format, sha256.Sum256(check.Must(f.Encode(format))))
		}
	}
	return out.String()
}

// The same figures are drawn again: in this process, and in another one that runs
// in a later second, in another time zone and with its own map iteration order.
func TestSameBytesAnotherProcess(t *testing.T) {
	const role = "FIGURES_TEST_CHILD"
	figures := testFigures()
	if testing.Short() {
		figures = figures[1:2]
	}
	want := digests(figures)
	if os.Getenv(role) != "" {
		fmt.Print("\n", want) // the parent reads it
		return
	}
	time.Sleep(1100 * time.Millisecond)
	cmd := exec.Command(os.Args[0], "-test.run=^TestSameBytesAnotherProcess$", fmt.Sprintf("-test.short=%t", testing.Short()))
	cmd.Env = append(os.Environ(), role+"=1", "TZ=Pacific/Kiritimati")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), want) {
		t.Errorf("another process, %v:\n%s\nwant:\n%s", err, out, want)
	}
}

func TestConcurrentUse(t *testing.T) {
	figures := testFigures()[1:2] // with an image, a colour map, text and lines
	want := digests(figures)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if got := digests(figures); got != want {
				t.Errorf("among others:\n%s\nwant:\n%s", got, want)
			}
		})
	}
	wg.Wait()
}

func TestUnknownFormat(t *testing.T) {
	_, err := Dots(dotPlot()).Encode("svg")
	check.Refuses(t, "error", err, `"svg"`)
}

// Figures of one panel are as wide as a column of text, others as a page, and none is higher than a page.
func TestSizes(t *testing.T) {
	one := dotPlot()
	one.Columns = 1
	chart := Chart{X: Axis{Max: 1}, Y: Axis{Max: 2}}
	for i, test := range []struct {
		f  *Figure
		mm float64
	}{
		{Dots(one), 84},
		{Dots(dotPlot()), 174},
		{Charts([][]Chart{{chart, chart}}), 174},
		{Charts([][]Chart{{chart}}), 84},
		{Charts([][]Chart{{chart}, {chart}, {chart}, {chart}, {chart}}), 84},
	} {
		check.Near(t, fmt.Sprint("width in mm of figure ", i), float64(test.f.width/vg.Millimeter), test.mm, 1e-11)
		if test.f.height > pageHeight+0.1 {
			t.Errorf("figure %d is %g points high, more than %g", i, test.f.height, pageHeight)
		}
	}
}

// Images of a PDF file are upright: the product of the matrices before each has a positive scale.
func TestPDF(t *testing.T) {
	operator := regexp.MustCompile(`(?m)^(q) |(-?[\d.]+) -?[\d.]+ -?[\d.]+ cm|/I[0-9a-f]+ (Do) Q|^([qQ])$`)
	images := 0
	for _, f := range testFigures() {
		_, stream, _ := bytes.Cut(check.Must(f.Encode("pdf")), []byte("stream\n"))
		content := check.Must(io.ReadAll(check.Must(zlib.NewReader(bytes.NewReader(stream)))))
		stack := []float64{1} // the vertical scale of each state
		for _, op := range operator.FindAllStringSubmatch(string(content), -1) {
			if op[1] == "q" || op[4] == "q" {
				stack = append(stack, stack[len(stack)-1])
			}
			switch top := len(stack) - 1; {
			case op[2] != "":
				d, _ := strconv.ParseFloat(op[2], 64)
				stack[top] *= d
			case op[3] != "":
				images++
				if stack[top] < 0 {
					t.Error("an image is upside down")
				}
				stack = stack[:top]
			case op[4] == "Q":
				stack = stack[:top]
			}
		}
	}
	check.Equal(t, "images of 4 maps and 3 bars", images, 2+1+2+1+1)
}

// No colour of an image is far from that in its file.
func TestIndexed(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 64, 64))
	for i := range 64 * 64 {
		img.SetRGBA(i%64, i/64, color.RGBA{uint8(i % 64 * 4), uint8(i / 64 * 4), 100, 255})
	}
	out := indexed(img)
	for i := range 64 * 64 {
		c := out.At(i%64, i/64).(color.RGBA)
		if r, g, b := int(c.R)-i%64*4, int(c.G)-i/64*4, int(c.B)-100; r*r+g*g+b*b > 3*43*43 {
			t.Fatalf("pixel %d became %v", i, c)
		}
	}
}

// No letter of labels is an empty box, and capital H of Liberation Serif, 1341 units of 2048 high, stands on
// the base line.
func TestLetters(t *testing.T) {
	face := run{}.face()
	lo, hi := vg.Length(1e9), vg.Length(-1e9)
	for _, c := range outline(face, vg.Point{X: 3, Y: 100}, "H") {
		lo, hi = min(lo, c.Pos.Y), max(hi, c.Pos.Y)
	}
	check.NearAll(t, "ends of H", []float64{float64(lo), float64(hi)}, []float64{100, 100 + 1341./2048*8}, 1e-11)
	missing := fmt.Sprint(outline(face, vg.Point{}, "\uffff"))
	for _, r := range "μσλρβγκΣΔ−×≤≥∞±‖²()0123456789+ijkn" {
		if fmt.Sprint(outline(face, vg.Point{}, string(r))) == missing {
			t.Errorf("no letter %q", r)
		}
	}
}

func TestRuns(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{"class 1", "class 1"},
		{"$μ(y_1)$, p²", "/μ/ ( /y/ _1_ ) , p²"},
		{"$10^{−5}$", "10 ^−5^"},
		{"$Σ_y$, $Σ_{zy}a^2n$", "/Σ/ _/y/_ ,  /Σ/ _/zy/_ /a/ ^2^ /n/"},
		{"a_b{c}^d", "a_b{c}^d"},
	} {
		var got []string
		for _, r := range runs(test.line) {
			if r.text == "" {
				continue
			}
			if r.italic {
				r.text = "/" + r.text + "/"
			}
			switch {
			case r.rise < 0:
				r.text = "_" + r.text + "_"
			case r.rise > 0:
				r.text = "^" + r.text + "^"
			}
			got = append(got, r.text)
		}
		check.Equal(t, "runs of "+test.line, strings.Join(got, " "), test.want)
	}
}
