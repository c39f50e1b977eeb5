package dataset

import (
	"math"
	"strings"
	"testing"

	"closedform/core/random"
)

func TestWedgesLabels(t *testing.T) {
	g, err := Lookup("wedges")
	if err != nil {
		t.Fatal(err)
	}
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
		if got := g.Label(c.x); got != c.want {
			t.Errorf("label of %v is %d, want %d", c.x, got, c.want)
		}
	}
}

func TestAxisIsSymmetricAndShort(t *testing.T) {
	axis := wedges.Axis(81)
	for i, x := range axis {
		if x != -axis[80-i] || math.Abs(x-math.Round(x*20)/20) > 0 {
			t.Errorf("axis[%d] = %v, axis[%d] = %v", i, x, 80-i, axis[80-i])
		}
	}
	if axis[0] != -2 || axis[80] != 2 {
		t.Errorf("axis from %v to %v", axis[0], axis[80])
	}
}

// A boundary segment must separate classes: on either side of its points the
// labels differ.
func TestBoundarySeparates(t *testing.T) {
	for _, s := range wedges.Boundary {
		for _, u := range []float64{0.1, 0.3, 0.6, 0.9} {
			x, y := s.X0+u*(s.X1-s.X0), s.Y0+u*(s.Y1-s.Y0)
			nx, ny := 1e-6*(s.Y0-s.Y1), 1e-6*(s.X1-s.X0)
			if wedges.Label([]float64{x + nx, y + ny}) == wedges.Label([]float64{x - nx, y - ny}) {
				t.Errorf("no change of class across the boundary at (%g, %g)", x, y)
			}
		}
	}
}

func TestDraw(t *testing.T) {
	set := wedges.Draw(4000, random.Source("dataset", 1))
	count := make([]float64, wedges.Classes)
	for k, x := range set.X {
		if x[0] < -2 || x[0] > 2 || x[1] < -2 || x[1] > 2 {
			t.Fatalf("example %d at %v is outside the square", k, x)
		}
		if set.Class[k] != wedges.Label(x) {
			t.Fatalf("example %d has class %d, want %d", k, set.Class[k], wedges.Label(x))
		}
		count[set.Class[k]]++
	}
	for class, share := range []float64{0.25, 0.25, 0.5} {
		z := (count[class] - 4000*share) / math.Sqrt(4000*share*(1-share))
		if !(math.Abs(z) < 5) {
			t.Errorf("class %d: %g of 4000 examples, %.1f standard errors from a share of %g", class, count[class], z, share)
		}
	}
	again := wedges.Draw(2, random.Source("dataset", 1))
	if again.X[1][0] != set.X[1][0] {
		t.Error("the same stream draws different examples")
	}
}

func TestLookupNamesWhatIsAllowed(t *testing.T) {
	if _, err := Lookup("moons"); err == nil || !strings.Contains(err.Error(), "wedges") {
		t.Errorf("error %v", err)
	}
}

// The ceiling by exhaustion: every partition of the plane into three convex
// cones by rays at whole degrees, with every assignment of classes. Areas are
// those of the wedges of the square, one degree wide.
func TestWedgesCeiling(t *testing.T) {
	var area [3][721]float64 // cumulative over two turns
	for d := range 720 {
		for c := range 3 {
			area[c][d+1] = area[c][d]
		}
		mid := (float64(d) + 0.5) * math.Pi / 180
		x := []float64{math.Cos(mid), math.Sin(mid)}
		radius := 2 / math.Max(math.Abs(x[0]), math.Abs(x[1]))
		area[wedges.Label(x)][d+1] += 0.5 * radius * radius
	}
	total := area[0][360] + area[1][360] + area[2][360]
	var best float64
	for a := range 360 {
		for b := a + 1; b <= a+180; b++ {
			for c := max(b, a+180); c <= min(b+180, a+360); c++ {
				rays := [4]int{a, b, c, a + 360}
				for _, perm := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
					var right float64
					for i, class := range perm {
						right += area[class][rays[i+1]] - area[class][rays[i]]
					}
					best = max(best, right/total)
				}
			}
		}
	}
	if math.Abs(best-wedges.LinearCeiling) > 1e-9 {
		t.Errorf("best accuracy of three cones is %.6f, want %g", best, wedges.LinearCeiling)
	}
}
