package data

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/core/random"
	check "closedform/internal/checktest"
	"closedform/internal/field"
)

func TestGeneratorValidate(t *testing.T) {
	for _, c := range []struct {
		g    Generator
		want string // the error begins with its key
	}{
		{Generator{}, "generator: \"\" is not allowed; allowed: one of logistic, moons, rings, sectors, " +
			"spirals, wedges, xor"},
		{Generator{Name: "moons", Noise: -1}, "noise: -1 is not allowed; allowed: 1e-06 to 10, or 0 for 0.1"},
		{Generator{Name: "xor", Noise: math.NaN()}, "noise: "},
		{Generator{Name: "wedges", Noise: 0.1}, "noise: 0.1 is not allowed: wedges has no noise"},
		{Generator{Name: "moons", Arms: 3}, "arms: "},
		{Generator{Name: "spirals", Arms: 1}, "arms: 1 is not allowed; allowed: 2 to 100, or 0 for 3"},
		{Generator{Name: "sectors", Arms: 101}, "arms: "},
	} {
		err := c.g.Validate()
		if _, ok := err.(*field.Error); !ok || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %s", c.g, err, c.want)
		}
	}
}

// A value that was drawn once is drawn ever after: committed results depend on it.
func TestDrawIsPinned(t *testing.T) {
	for name, want := range map[string]struct {
		x     []float64
		class int
	}{
		"logistic": {[]float64{-3.855958383766872, -4.694889581395232}, 0},
		"moons":    {[]float64{1.75306967685446, 0.1779017761456288}, 1},
		"rings":    {[]float64{0.6836427638126094, 0.132688271523348}, 1},
		"sectors":  {[]float64{-1.542383353506749, -1.877955832558093}, 3},
		"spirals":  {[]float64{0.9418226980441164, -0.2299540071478621}, 1},
		"wedges":   {[]float64{1.018316491380106, -1.09096236017741}, 1},
		"xor":      {[]float64{1.575331149821412, 1.237870376678051}, 0},
	} {
		set := Generator{Name: name}.Task().Draw(3, random.Source("dataset", "pinned"))
		if !floats.EqualApprox(set.X[2], want.x, 1e-12) || set.Class[2] != want.class {
			t.Errorf("%s draws {[]float64{%.16g, %.16g}, %d}, want %v", name, set.X[2][0], set.X[2][1], set.Class[2],
				want)
		}
		longer := Generator{Name: name}.Task().Draw(20, random.Source("dataset", "pinned"))
		check.Equal(t, name+": a longer list begins with", Set{X: longer.X[:3], Class: longer.Class[:3]}, set)
	}
}

func TestWedges(t *testing.T) {
	task := Generator{Name: "wedges"}.Task()
	for _, c := range []struct {
		x    []float64
		want int
	}{
		{[]float64{0, 1}, 0},
		{[]float64{-0.9, 1}, 0},
		{[]float64{0.9, -1}, 1},
		{[]float64{1, 0.9}, 2},
		{[]float64{-1, -0.9}, 2},
		{[]float64{1, -1}, NoClass},
		{[]float64{0, 0}, NoClass},
	} {
		check.Equal(t, fmt.Sprintf("label of %v", c.x), task.Label(c.x), c.want)
	}
	p := []float64{7, 7, 7}
	if task.Probabilities(p, []float64{1, -1}) || p[0] != 7 {
		t.Errorf("on a boundary: %v", p)
	}
	// On either side of a boundary the labels differ.
	for _, s := range task.Boundary {
		for _, u := range []float64{0.1, 0.3, 0.6, 0.9} {
			x, y := s.X0+u*(s.X1-s.X0), s.Y0+u*(s.Y1-s.Y0)
			nx, ny := 1e-6*(s.Y0-s.Y1), 1e-6*(s.X1-s.X0)
			if task.Label([]float64{x + nx, y + ny}) == task.Label([]float64{x - nx, y - ny}) {
				t.Errorf("no change of class across the boundary at (%g, %g)", x, y)
			}
		}
	}
}

// The points are row by row, the first coordinate changing fastest, and every second
// line has its own points of them. Axes are symmetric.
func TestGrid(t *testing.T) {
	g := Region{Low: [2]float64{1, 10}, High: [2]float64{4, 40}}.Grid(4)
	check.Equal(t, "points", g.Points[:6], [][]float64{{1, 10}, {2, 10}, {3, 10}, {4, 10}, {1, 20}, {2, 20}})
	for stride, want := range map[int][]int{2: {0, 2, 8, 10}, 3: {0, 3, 12, 15}, 9: {0}} {
		check.Equal(t, fmt.Sprint("every ", stride), g.Every(stride), want)
	}
	axis := square(2).Axis(1, 81)
	for i, x := range axis {
		if x != -axis[80-i] || x != math.Round(x*20)/20 {
			t.Errorf("axis[%d] = %v, axis[%d] = %v", i, x, 80-i, axis[80-i])
		}
	}
	check.Equal(t, "ends", []any{axis[0], axis[80]}, []any{-2.0, 2.0})
}

// Class probabilities are probabilities wherever the point is.
func TestProbabilitiesAtExtremes(t *testing.T) {
	for _, g := range []Generator{
		{"logistic", minNoise, 0}, {"logistic", maxNoise, 0}, {"sectors", minNoise, 5}, {"sectors", maxNoise, 5},
	} {
		p := make([]float64, g.Task().Classes)
		for _, x := range [][]float64{{0, 0}, {-1, 0}, {0.5, 0.25}, {1e6, -1e6}, {-1e100, 1e-300}, {0, -1}} {
			g.Task().Probabilities(p, x)
			check.Near(t, fmt.Sprintf("%v at %v: sum", g, x), floats.Sum(p), 1, 1e-13)
			check.Equal(t, fmt.Sprintf("%v at %v: negative", g, x), floats.Min(p) < 0, false)
		}
	}
}
