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
	"math"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gonum.org/v1/plot/vg"

	check "closedform/internal/checktest"
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

// No letter of labels is an empty box, and capital H of Liberation Serif, 1341 units of 2048 high, stands on
// the base line.
func TestLetters(t *testing.T) {
	lo, hi := vg.Length(1e9), vg.Length(-1e9)
	for _, c := range letters("H")[0].outline(vg.Point{X: 3, Y: 100}) {
		lo, hi = min(lo, c.Pos.Y), max(hi, c.Pos.Y)
	}
	check.NearAll(t, "ends of H", []float64{float64(lo), float64(hi)}, []float64{100, 100 + 1341./2048*8}, 1e-11)
	all := letters("\uffffμσλρβγκΣΔ−×≤≥∞±‖²()0123456789+ijkn")
	for _, l := range all[1:] {
		if fmt.Sprint(l.outline(vg.Point{})) == fmt.Sprint(all[0].outline(vg.Point{})) {
			t.Errorf("no letter %q", l.char)
		}
	}
	got := ""
	for _, l := range letters("a_2 $Σ_{zy}10^{−5}x_1b$") {
		got += fmt.Sprintf("%c%+d ", l.char, int(math.Round(float64(l.rise))))
	}
	check.Equal(t, "letters and how far they are raised", got, "a+0 _+0 2+0  +0 Σ+0 z-1 y-1 1+0 0+0 −+3 5+3 x+0 1-1 b+0 ")
}
