package figures

import (
	"fmt"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/plot/vg"
)

// grid returns n even coordinates from -2 to 2.
func grid(n int) []float64 {
	g := make([]float64, n)
	for i := range g {
		g[i] = -2 + 4*float64(i)/float64(n-1)
	}
	return g
}

// plate returns a page of four quantities after 1, 5 and 25 examples, which
// fill the scale evenly.
func plate(n int) []Row {
	rng := rand.New(rand.NewPCG(1, 2))
	var points []Point
	for range 25 {
		p := Point{X: 4*rng.Float64() - 2, Y: 4*rng.Float64() - 2, Class: 2}
		if math.Abs(p.Y) > math.Abs(p.X) {
			p.Class = 0
			if p.Y < 0 {
				p.Class = 1
			}
		}
		points = append(points, p)
	}
	diagonals := []Segment{{-2, -2, 2, 2}, {-2, 2, 2, -2}}
	g := grid(n)
	var rows []Row
	for i, label := range []string{"$μ(y₁)$", "$μ(y₂)$", "$σ²(y₁)$", "$σ²(y₂)$"} {
		row := Row{Scale: Scale{Label: label + ", probability", Max: 1}}
		for _, k := range []int{1, 5, 25} {
			var z []float64
			for _, y := range g {
				for _, x := range g {
					z = append(z, 1/(1+math.Exp(-float64(k)*(y-x*x/float64(i+1))/5)))
				}
			}
			row.Maps = append(row.Maps, Map{
				Title: fmt.Sprintf("$k$ = %d", k), X: g, Y: g, Z: z,
				Points: points[:k], Boundary: diagonals,
			})
		}
		rows = append(rows, row)
	}
	return rows
}

// flagged returns a small map with values that its scale cannot show.
func flagged() (Map, Scale) {
	g := grid(3)
	z := []float64{
		-1e-9, math.Inf(-1), 0,
		math.NaN(), 0.5, 1,
		0.25, 0.75, 1.5,
	}
	return Map{X: g, Y: g, Z: z}, Scale{Label: "variance", Max: 1}
}

// wantPanic checks that f panics with a message of this package.
func wantPanic(t *testing.T, name, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		got := fmt.Sprint(recover())
		if !strings.HasPrefix(got, "figures: ") || !strings.Contains(got, want) {
			t.Errorf("%s: panic %q, want one with %q", name, got, want)
		}
	}()
	f()
}

func TestCallersMistakes(t *testing.T) {
	good, scale := flagged()
	with := func(change func(*Map)) func() {
		m := good
		m.X = slices.Clone(good.X)
		change(&m)
		return func() { Single(m, scale, Labels{}) }
	}
	for _, test := range []struct {
		name, want string
		f          func()
	}{
		{"too few values", "8 values", with(func(m *Map) { m.Z = m.Z[1:] })},
		{"one coordinate", "needs 2", with(func(m *Map) { m.X, m.Z = m.X[:1], m.Z[:3] })},
		{"equal coordinates", "ascend", with(func(m *Map) { m.X[1] = m.X[0] })},
		{"coordinate NaN", "ascend", with(func(m *Map) { m.X[0] = math.NaN() })},
		{"coordinate infinite", "ascend", with(func(m *Map) { m.X[2] = math.Inf(1) })},
		{"no class", "class -1", with(func(m *Map) { m.Points = []Point{{Class: -1}} })},
		{"too many classes", "class 15", with(func(m *Map) { m.Points = []Point{{Class: 15}} })},
		{"flat scale", "scale", func() { Single(good, Scale{Min: 1, Max: 1}, Labels{}) }},
		{"scale NaN", "scale", func() { Single(good, Scale{Max: math.NaN()}, Labels{}) }},
		{"infinite scale", "scale", func() { Single(good, Scale{Max: math.Inf(1)}, Labels{}) }},
		{"no rows", "without rows", func() { Page(nil, Labels{}) }},
		{"no maps", "row 0", func() { Page([]Row{{Scale: scale}}, Labels{}) }},
	} {
		wantPanic(t, test.name, test.want, test.f)
	}
}

func TestImage(t *testing.T) {
	m, s := flagged()
	img := m.image(s)
	// Two pixels between neighbours: the middle cell is whole, those at the
	// border are halves and those at the corners are quarters.
	want := [][]uint8{
		{63, 189, 189, above},
		{absent, 126, 126, shades - 1},
		{absent, 126, 126, shades - 1},
		{below, below, below, 0},
	}
	for y, row := range want {
		for x, w := range row {
			if got := img.ColorIndexAt(x, y); got != w {
				t.Errorf("pixel %d, %d is %d, want %d", x, y, got, w)
			}
		}
	}
	if b := img.Bounds(); b.Dx() != 4 || b.Dy() != 4 {
		t.Errorf("bounds %v", b)
	}
}

func TestNearestUneven(t *testing.T) {
	// The middles of the pixels are 0.5, 1.5, ...; cells meet at 0.6, 2.2, 4.6.
	if got, want := nearest([]float64{0, 1.2, 3.2, 6}, false), []int{0, 1, 2, 2, 2, 3}; !slices.Equal(got, want) {
		t.Errorf("nearest = %v, want %v", got, want)
	}
}

func TestLegendTellsWhatTheScaleCannotShow(t *testing.T) {
	m, s := flagged()
	m.Points = []Point{{0, 0, 3}, {1, 1, 0}, {2, 2, 0}, {2.1, 0, 1}}
	texts := func(entries []entry) (out []string) {
		for _, e := range entries {
			out = append(out, e.text)
		}
		return out
	}
	got := texts(mapLegend([]Row{{s, []Map{m, m}}}, Labels{Classes: []string{"cat"}, Below: "negative"}))
	want := []string{
		"cat", "class 4", "negative (4 values)", "above scale (2 values)",
		"not a number (2 values)", "2 examples outside the maps",
	}
	if !slices.Equal(got, want) {
		t.Errorf("legend %q, want %q", got, want)
	}
	if got := texts(mapLegend([]Row{{s, []Map{m}}}, Labels{})); !slices.Contains(got, "below scale (2 values)") {
		t.Errorf("legend %q lacks values below the scale", got)
	}
	// Named classes are explained even if no example is of theirs.
	m.Points = nil
	if got := texts(mapLegend([]Row{{s, []Map{m}}}, Labels{Classes: []string{"cat", "", "dog"}})); !slices.Equal(got[:2], []string{"cat", "dog"}) {
		t.Errorf("legend %q, want it to begin with cat and dog", got)
	}
	got = texts(mapLegend(plate(5), Labels{}))
	if want := []string{"class 1", "class 2", "class 3", "true class boundary"}; !slices.Equal(got, want) {
		t.Errorf("legend %q, want %q", got, want)
	}
}

func TestLegendBreaksLines(t *testing.T) {
	rows := plate(5)
	rows[0].Maps[0].Z[0] = math.NaN()
	entries := mapLegend(rows, Labels{})
	for _, width := range []float64{60, 150, 400} {
		for i, line := range newLegend(entries, vg.Length(width)) {
			x := -legendSpace
			for _, e := range line {
				x += legendSpace + e.extent()
			}
			if len(line) > 1 && float64(x) > width {
				t.Errorf("line %d of a legend %g wide takes %g", i, width, x)
			}
		}
	}
	if n := len(newLegend(entries, 400)); n != 1 {
		t.Errorf("%d lines where one is enough", n)
	}
}

// lightness returns CIE L* of a colour in sRGB (IEC 61966-2-1, white D65).
func lightness(c color.Color) float64 {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	linear := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	y := 0.2126*linear(n.R) + 0.7152*linear(n.G) + 0.0722*linear(n.B)
	if y <= 216./24389 {
		return y * 24389 / 27
	}
	return 116*math.Cbrt(y) - 16
}

func TestLightnessIsLinear(t *testing.T) {
	p := colors()
	if len(p) != 256 {
		t.Fatalf("%d colours", len(p))
	}
	first, last := lightness(p[0]), lightness(p[shades-1])
	if last-first < 70 {
		t.Errorf("lightness spans %g to %g only", first, last)
	}
	for i, c := range p[:shades] {
		want := first + (last-first)*float64(i)/(shades-1)
		// A component rounded to 8 bits moves L* by at most 0.4.
		if got := lightness(c); !scalar.EqualWithinAbs(got, want, 0.4) {
			t.Errorf("shade %d has lightness %.2f, want %.2f", i, got, want)
		}
	}
}

// TestFlagsStandOut checks that the colours for values outside the scale
// differ from all shades, and in grey from the end of the scale they touch.
func TestFlagsStandOut(t *testing.T) {
	p := colors()
	for _, flag := range []uint8{below, above, absent} {
		f := p[flag].(color.NRGBA)
		for i, c := range p {
			if uint8(i) == flag {
				continue
			}
			c := c.(color.NRGBA)
			d := math.Hypot(math.Hypot(float64(f.R)-float64(c.R), float64(f.G)-float64(c.G)), float64(f.B)-float64(c.B))
			if d < 80 {
				t.Errorf("colours %d and %d are %.0f apart", flag, i, d)
			}
		}
	}
	if d := lightness(p[below]) - lightness(p[0]); d < 40 {
		t.Errorf("below is %.0f lighter than the minimum", d)
	}
	if d := lightness(p[shades-1]) - lightness(p[above]); d < 40 {
		t.Errorf("above is %.0f darker than the maximum", d)
	}
}

func TestScaleIndex(t *testing.T) {
	s := Scale{Min: -1, Max: 3}
	for _, test := range []struct {
		v    float64
		want uint8
	}{
		{-1, 0},
		{3, shades - 1},
		{1, (shades - 1) / 2},
		{math.Nextafter(-1, -2), below},
		{math.Nextafter(3, 4), above},
		{math.Inf(-1), below},
		{math.Inf(1), above},
		{math.NaN(), absent},
	} {
		if got := s.index(test.v); got != test.want {
			t.Errorf("index(%v) = %d, want %d", test.v, got, test.want)
		}
	}
}
