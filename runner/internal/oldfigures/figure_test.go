package figures

import (
	"bytes"
	"crypto/sha256"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

var formats = []string{"png", "svg", "pdf"}

// testFigures are a narrow page, a panel with every kind of flag, a sweep and a
// page of charts.
func testFigures() []*Figure {
	m, s := flagged()
	m.Points = []Point{{0.5, 0.5, 1}}
	rows := plate(9)[1:3]
	for i := range rows {
		rows[i].Maps = rows[i].Maps[2:]
	}
	field, scale := sweep()
	return []*Figure{
		Page(rows, Labels{}), Single(m, s, Labels{}),
		Single(field, scale, Labels{X: "$ρ$", Y: "$λ$"}), Charts(testCharts()),
	}
}

func encode(t *testing.T, f *Figure, format string) []byte {
	t.Helper()
	b, err := f.Encode(format)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// digests are the checksums of the test figures in all formats.
func digests(t *testing.T) string {
	var out strings.Builder
	for _, f := range testFigures() {
		for _, format := range formats {
			fmt.Fprintf(&out, "%s %x\n", format, sha256.Sum256(encode(t, f, format)))
		}
	}
	return out.String()
}

// TestSameBytesAnotherProcess draws the same figures again: in this process,
// and in another one that runs in a later second, in another time zone and
// with its own map iteration order. A format that wrote a date would differ.
func TestSameBytesAnotherProcess(t *testing.T) {
	const role = "FIGURES_TEST_CHILD"
	want := digests(t)
	if os.Getenv(role) != "" {
		fmt.Print("\n", want) // the parent reads it
		return
	}
	if got := digests(t); got != want {
		t.Errorf("second time:\n%s\nfirst:\n%s", got, want)
	}
	time.Sleep(1100 * time.Millisecond)
	cmd := exec.Command(os.Args[0], "-test.run=^TestSameBytesAnotherProcess$")
	cmd.Env = append(os.Environ(), role+"=1", "TZ=Pacific/Kiritimati")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("child: %v\n%s", err, out)
	}
	if !strings.Contains(string(out), want) {
		t.Errorf("another process:\n%s\nwant:\n%s", out, want)
	}
}

func TestConcurrentUse(t *testing.T) {
	want := digests(t)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if got := digests(t); got != want {
				t.Errorf("among others:\n%s\nwant:\n%s", got, want)
			}
		})
	}
	wg.Wait()
}

func TestUnknownFormat(t *testing.T) {
	if _, err := testFigures()[0].Encode("gif"); err == nil || !strings.Contains(err.Error(), `"gif"`) {
		t.Errorf("error %v", err)
	}
}

func TestSizes(t *testing.T) {
	page, single := Page(plate(81), Labels{}), Single(plate(81)[2].Maps[2], Scale{Max: 1}, Labels{})
	for _, test := range []struct {
		name  string
		f     *Figure
		mm    float64
		limit map[string]int // kB
	}{
		{"page", page, 170, map[string]int{"png": 700, "svg": 150, "pdf": 150}},
		{"single", single, 80, map[string]int{"png": 150, "svg": 50, "pdf": 50}},
	} {
		if got := float64(test.f.width / vg.Millimeter); !scalar.EqualWithinAbs(got, test.mm, 0.1) {
			t.Errorf("%s is %.1f mm wide, want %g", test.name, got, test.mm)
		}
		for format, limit := range test.limit {
			n := len(encode(t, test.f, format))
			t.Logf("%s.%s: %d bytes", test.name, format, n)
			if n > limit*1000 {
				t.Errorf("%s.%s has %d bytes, more than %d kB", test.name, format, n, limit)
			}
		}
	}
}

func TestPNG(t *testing.T) {
	for _, f := range testFigures() {
		b := encode(t, f, "png")
		img, err := png.Decode(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		w, h := int(math.Round(float64(f.width/dot))), int(math.Round(float64(f.height/dot)))
		if size := img.Bounds().Size(); size != (image.Point{X: w, Y: h}) {
			t.Errorf("size %v, want %d×%d", size, w, h)
		}
		// 300 dots per inch are 11811 per metre.
		if !bytes.Contains(b, []byte("\x00\x00\x00\x09pHYs\x00\x00\x2e\x23\x00\x00\x2e\x23\x01")) {
			t.Error("no resolution")
		}
	}
}

// TestDataAreas finds the maps of a page by their colour: they are squares of
// one size in straight rows and columns, filled to the edge.
func TestDataAreas(t *testing.T) {
	g := grid(3)
	m := Map{Title: "t", X: g, Y: g, Z: make([]float64, 9)}
	for i := range m.Z {
		m.Z[i] = -1 // a colour that nothing else has
	}
	row := Row{Scale{Label: "v", Max: 1}, []Map{m, m, m}}
	img, err := png.Decode(bytes.NewReader(encode(t, Page([]Row{row, row}, Labels{}), "png")))
	if err != nil {
		t.Fatal(err)
	}
	b := img.Bounds()
	filled := func(x, y int) bool {
		return color.NRGBAModel.Convert(img.At(x, y)) == colors()[below]
	}
	// spans returns where the colour begins and ends along a line.
	spans := func(n int, on func(int) bool) (out [][2]int) {
		for i := range n {
			if on(i) {
				if last := len(out) - 1; last >= 0 && out[last][1] == i-1 {
					out[last][1] = i
				} else {
					out = append(out, [2]int{i, i})
				}
			}
		}
		return out
	}
	const firstX, inside = 200, 300 // within the first column (right of the legend), within the first row
	columns := spans(b.Dx(), func(x int) bool { return filled(x, inside) })
	lines := spans(b.Dy(), func(y int) bool { return filled(firstX, y) })
	if len(columns) != 3 || len(lines) != 2 {
		t.Fatalf("columns %v, rows %v", columns, lines)
	}
	side := columns[0][1] - columns[0][0]
	for _, s := range append(columns, lines...) {
		if s[1]-s[0] != side {
			t.Errorf("columns %v, rows %v: not squares of one size", columns, lines)
		}
	}
	for _, l := range lines {
		if got := spans(b.Dx(), func(x int) bool { return filled(x, (l[0]+l[1])/2) }); fmt.Sprint(got) != fmt.Sprint(columns) {
			t.Errorf("columns %v and %v", got, columns)
		}
	}
}

func TestSVGIsXML(t *testing.T) {
	for _, f := range testFigures() {
		b := encode(t, f, "svg")
		d := xml.NewDecoder(bytes.NewReader(b))
		defined, used := map[string]bool{}, map[string]bool{}
		root := ""
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			e, ok := token.(xml.StartElement)
			if !ok {
				continue
			}
			if root == "" {
				root = e.Name.Local
			}
			for _, a := range e.Attr {
				switch {
				case a.Name.Local == "id":
					defined[a.Value] = true
				case a.Name.Local == "href" && e.Name.Local == "use":
					used[strings.TrimPrefix(a.Value, "#")] = true
				}
			}
		}
		if root != "svg" || len(used) == 0 {
			t.Errorf("root %q, %d letters", root, len(used))
		}
		for id := range used {
			if !defined[id] {
				t.Errorf("letter %q is not defined", id)
			}
		}
		if bytes.Contains(b, []byte("NaN")) {
			t.Error("NaN in a path")
		}
	}
}

// TestPDF follows the table of objects to every object.
func TestPDF(t *testing.T) {
	for _, f := range testFigures() {
		b := encode(t, f, "pdf")
		if !bytes.HasPrefix(b, []byte("%PDF-1.")) || !bytes.HasSuffix(b, []byte("%%EOF\n")) {
			t.Fatal("not a PDF file")
		}
		if n := bytes.Count(b, []byte("/Type /Page ")); n != 1 || !bytes.Contains(b, []byte("/Count 1 ")) {
			t.Errorf("%d pages", n)
		}
		if bytes.Contains(b, []byte("Date")) {
			t.Error("the file has a date")
		}
		lines := strings.Split(strings.TrimSpace(string(b[bytes.LastIndex(b, []byte("startxref")):])), "\n")
		xref, err := strconv.Atoi(lines[1])
		if err != nil || !bytes.HasPrefix(b[xref:], []byte("xref\n")) {
			t.Fatalf("no table at %q", lines[1])
		}
		table := strings.Split(string(b[xref:]), "\n")
		var n int
		if _, err := fmt.Sscanf(table[1], "0 %d", &n); err != nil {
			t.Fatal(err)
		}
		for i := 1; i < n; i++ {
			entry := table[2+i]
			offset, err := strconv.Atoi(entry[:10])
			if len(entry) != 19 || err != nil || !bytes.HasPrefix(b[offset:], fmt.Appendf(nil, "%d 0 obj\n", i)) {
				t.Errorf("object %d: entry %q", i, entry)
			}
		}
	}
}

// TestArc compares the cubics of a circle with the circle.
func TestArc(t *testing.T) {
	var path vg.Path
	path.Move(vg.Point{X: 12, Y: 5})
	path.Arc(vg.Point{X: 5, Y: 5}, 7, 0, 2*math.Pi)
	var at vg.Point
	n := 0
	walk(path, func(op byte, pts ...vg.Point) {
		if op == 'C' {
			n++
			mid := at.Add(pts[2]).Scale(1. / 8).Add(pts[0].Add(pts[1]).Scale(3. / 8))
			if r := math.Hypot(float64(mid.X-5), float64(mid.Y-5)); !scalar.EqualWithinRel(r, 7, 3e-4) {
				t.Errorf("radius %g", r)
			}
		}
		at = pts[len(pts)-1]
	})
	if n != 4 || !scalar.EqualWithinAbs(float64(at.X), 12, 1e-12) || !scalar.EqualWithinAbs(float64(at.Y), 5, 1e-12) {
		t.Errorf("%d curves to %v", n, at)
	}
}

// TestTransformedCanvas checks the nesting of pushed states and dashes, which
// maps do not need but plotters do.
func TestTransformedCanvas(t *testing.T) {
	f := &Figure{width: 50, height: 50, draw: func(dc draw.Canvas) {
		dc.Push()
		dc.Translate(vg.Point{X: 10, Y: 10})
		dc.Rotate(math.Pi / 2)
		dc.Scale(2, 2)
		dc.SetLineDash([]vg.Length{2, 1}, 0.5)
		var p vg.Path
		p.Move(vg.Point{})
		p.QuadTo(vg.Point{X: 3, Y: 6}, vg.Point{X: 6})
		dc.Stroke(p)
		dc.Pop()
	}}
	got := string(encode(t, f, "svg"))
	want := `<g transform="translate(10,10)">
<g transform="rotate(90)">
<g transform="scale(2,2)">
<path d="m0 0c2 4 4 4 6 0" stroke="#000000" stroke-width="1" stroke-dasharray="2,1" stroke-dashoffset="0.5"/>
</g>
</g>
</g>
`
	if !strings.Contains(got, want) {
		t.Errorf("svg %s\nwant within it %s", got, want)
	}
}
