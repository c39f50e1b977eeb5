package figures

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"

	"closedform/internal/check"
)

var formats = []string{"png", "svg", "pdf"}

// testFigures have every kind of panel, curve, dot and value outside a scale.
func testFigures() []*Figure {
	m, s := flagged()
	m.Points = []Point{{0.5, 0.5, 1}}
	m.Boundary = []Segment{{-2, -2, 2, 2}}
	field, scale := sweep()
	return []*Figure{
		Maps([]Row{{s, []Map{m, m}}, {s, []Map{m}}}, Labels{Classes: []string{"class 1", "class 2"}}), Maps([]Row{{scale, []Map{field}}}, Labels{X: "$ρ$"}),
		Charts(testCharts()), Dots(dotPlot()),
	}
}

func encode(t *testing.T, f *Figure, format string) []byte {
	t.Helper()
	b := check.Must(f.Encode(format))
	return b
}

func decode(t *testing.T, f *Figure) image.Image {
	t.Helper()
	img := check.Must(png.Decode(bytes.NewReader(encode(t, f, "png"))))
	return img
}

// digests are the checksums of figures in all formats.
func digests(t *testing.T, figures []*Figure) string {
	var out strings.Builder
	for _, f := range figures {
		for _, format := range formats {
			fmt.Fprintf(&out, "%s %x\n", format, sha256.Sum256(encode(t, f, format)))
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
	want := digests(t, figures)
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
	want := digests(t, figures)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if got := digests(t, figures); got != want {
				t.Errorf("among others:\n%s\nwant:\n%s", got, want)
			}
		})
	}
	wg.Wait()
}

func TestUnknownFormat(t *testing.T) {
	_, err := Dots(dotPlot()).Encode("gif")
	check.Refuses(t, "error", err, `"gif"`)
}

func TestWidths(t *testing.T) {
	one := dotPlot()
	one.Columns = 1
	for i, test := range []struct {
		f  *Figure
		mm float64
	}{{Dots(one), 84}, {Dots(dotPlot()), 174}, {Charts([][]Chart{{{}, {}}}), 174}, {Charts([][]Chart{{{}}}), 84}, {Charts([][]Chart{{{}, {}, {}}}), 174}} {
		check.Near(t, fmt.Sprint("width in mm of figure ", i), float64(test.f.width/vg.Millimeter), test.mm, 1e-11)
	}
	// 110 dots per inch are 4331 per metre.
	if b := encode(t, Dots(one), "png"); !bytes.Contains(b, []byte("\x00\x00\x00\x09pHYs\x00\x00\x10\xeb\x00\x00\x10\xeb\x01")) {
		t.Error("no resolution")
	}
}

func TestSVG(t *testing.T) {
	b := encode(t, Charts(testCharts()), "svg")
	if !bytes.Contains(b, []byte(">variance<")) || bytes.Count(b, []byte("<text")) != bytes.Count(b, []byte(`<text fill-opacity="0"`)) {
		t.Error("text cannot be found, or is seen in front of its outlines")
	}
	for _, f := range testFigures() {
		b := encode(t, f, "svg")
		if bytes.Contains(b, []byte("NaN")) || bytes.Contains(b, []byte("Inf")) {
			t.Error("a path has no place")
		}
		if n := bytes.Count(b, []byte("<image")); n != bytes.Count(b, []byte(`preserveAspectRatio="none"`)) || n != bytes.Count(b, []byte("data:image/png;")) {
			t.Errorf("%d images, not all as PNG in their whole rectangle", n)
		}
	}
}

// Images of a PDF file are upright: the product of the matrices before each has a positive scale. It has no date, and
// its text can be found in the font that is embedded.
func TestPDF(t *testing.T) {
	images := 0
	for _, f := range testFigures() {
		b := encode(t, f, "pdf")
		if !bytes.HasPrefix(b, []byte("%PDF-1.")) || bytes.Contains(b, []byte("Date")) || !bytes.Contains(b, []byte("/FontFile2")) {
			t.Error("no PDF file, or with a date, or without its font")
		}
		stack := []float64{1} // the vertical scale of each state
		for _, op := range regexp.MustCompile(`(?m)^(q) |(-?[\d.]+) -?[\d.]+ -?[\d.]+ cm|/I[0-9a-f]+ (Do) Q|^([qQ])$`).FindAllStringSubmatch(string(content(t, b)), -1) {
			top := len(stack) - 1
			if op[1] == "q" || op[4] == "q" {
				stack = append(stack, stack[top])
				top++
			}
			switch {
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
	if b := content(t, encode(t, Charts(testCharts()), "pdf")); !bytes.Contains(b, []byte("(variance)")) {
		t.Error("text cannot be found")
	}
	if want := 2 + 1 + 2 + 1 + 1; images != want {
		t.Errorf("%d images, want those of 4 maps and 3 bars", images)
	}
}

// content returns the first stream of a PDF file.
func content(t *testing.T, file []byte) []byte {
	t.Helper()
	_, file, _ = bytes.Cut(file, []byte("stream\n"))
	z := check.Must(zlib.NewReader(bytes.NewReader(file)))
	out := check.Must(io.ReadAll(z))
	return out
}

func TestRuns(t *testing.T) {
	for _, test := range []struct {
		line string
		want []run
	}{
		{"class 1", []run{{text: "class 1"}}},
		{"$μ(y₁)$, p²", []run{{text: "μ", italic: true}, {text: "("}, {text: "y", italic: true}, {text: "1", script: -1}, {text: "), p"}, {text: "2", script: +1}}},
		{"10⁻⁵", []run{{text: "10"}, {text: "−5", script: +1}}},
		{"$zᵢ$", []run{{text: "z", italic: true}, {text: "i", italic: true, script: -1}}},
		{"$Σ_y$, $Σ_{zy}a^2n$", []run{
			{text: "Σ", italic: true},
			{text: "y", italic: true, script: -1},
			{text: ", "},
			{text: "Σ", italic: true},
			{text: "zy", italic: true, script: -1},
			{text: "a", italic: true},
			{text: "2", script: +1},
			{text: "n", italic: true},
		}},
		{"a_b{c}^d", []run{{text: "a_b{c}^d"}}},
		{"", nil},
	} {
		check.Equal(t, fmt.Sprintf("runs(%q)", test.line), runs(test.line), test.want)
	}
}

// Capital H of Liberation Serif is 1341 units of 2048 high and stands on the base
// line; all digits are half an em wide; no letter of labels is an empty box.
func TestLetters(t *testing.T) {
	face := typeset.Cache().Lookup(letters(20.48, 0, 0).Font, 20.48)
	lo, hi := vg.Length(1e9), vg.Length(-1e9)
	for _, c := range outline(face, vg.Point{X: 3, Y: 100}, "H") {
		if c.Type != vg.CloseComp {
			lo, hi = min(lo, c.Pos.Y), max(hi, c.Pos.Y)
		}
	}
	check.NearAll(t, "ends of H", []float64{float64(lo), float64(hi)}, []float64{100, 113.41}, 1e-11)
	check.Near(t, "width", float64(letters(10, 0, 0).Width("23$₄$")), 10*(2+scriptSize)/2, 1e-10)
	missing := fmt.Sprint(outline(face, vg.Point{}, "\uffff"))
	for _, r := range "μσλρβγκΣΔ−×≤≥∞±‖()0123456789+ijkn" {
		if fmt.Sprint(outline(face, vg.Point{}, string(r))) == missing {
			t.Errorf("no letter %q", r)
		}
	}
}

// No two images of a file have one width, also where a narrow one comes late.
func TestImageWidths(t *testing.T) {
	v := &vector{Canvas: vgpdf.New(100, 100), pdf: true}
	for i := range 60 {
		v.DrawImage(box(0, 0, 1, 1), image.NewGray(image.Rect(0, 0, 1+5*(i%2), 1)))
	}
	slices.Sort(v.widths)
	if n := len(slices.Compact(v.widths)); n != 60 {
		t.Errorf("%d widths of 60 images", n)
	}
}
