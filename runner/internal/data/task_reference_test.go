package data

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
)

// readRows returns the rows of a CSV file with # comments: a name, then numbers.
func readRows(t *testing.T, file string) (names []string, numbers [][]float64) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		var v []float64
		for _, field := range row[1:] {
			x, err := strconv.ParseFloat(field, 64)
			if err != nil {
				t.Fatal(err)
			}
			v = append(v, x)
		}
		names, numbers = append(names, row[0]), append(numbers, v)
	}
	if len(names) == 0 {
		t.Fatalf("%s has no rows", file)
	}
	return names, numbers
}

func TestBayesErrorReference(t *testing.T) {
	names, rows := readRows(t, "testdata/bayes_error.csv")
	for i, row := range rows {
		g := Generator{Name: names[i], Noise: row[1]}
		tol := 1e-12
		switch g.Name {
		case "moons":
			tol = 1e-8
		case "spirals":
			g.Arms = int(row[0])
		case "rings":
			g.Rings = int(row[0])
		}
		got := g.Task().BayesError()
		if !(math.Abs(got/row[2]-1) <= tol) {
			t.Errorf("%v: %.15g, want %.15g", g, got, row[2])
		}
	}
}

func TestClassProbabilitiesReference(t *testing.T) {
	names, rows := readRows(t, "testdata/logit.csv")
	for i, row := range rows {
		g := Generator{Name: names[i], Noise: row[0]}
		p := make([]float64, g.Task().Classes)
		if !g.Task().Probabilities(p, row[1:3]) {
			t.Fatalf("%v knows no probabilities", g)
		}
		got := math.Log(p[1]) - math.Log(p[0])
		if !scalar.EqualWithinAbsOrRel(got, row[3], 1e-11, 1e-11) {
			t.Errorf("%v at %v: logit %.15g, want %.15g", g, row[1:3], got, row[3])
		}
	}
}

// Without overlap the errors vanish, and with noise alone they are those of
// guessing.
func TestBayesErrorLimits(t *testing.T) {
	for _, name := range Generators() {
		if name == "wedges" {
			continue
		}
		g := Generator{Name: name, Noise: minNoise}
		if e := g.Task().BayesError(); !(e >= 0 && e < 1e-6) {
			t.Errorf("%v: error %g", g, e)
		}
		g.Noise = maxNoise
		guess := 1 - 1/float64(g.Task().Classes)
		if e := g.Task().BayesError(); !(e <= guess && e > 0.8*guess) {
			t.Errorf("%v: error %g, that of guessing is %g", g, e, guess)
		}
	}
	// Half of an error is made by each of two arms that overlap: 2Φ(−π/(Aσ)).
	g := Generator{Name: "spirals", Arms: 2, Noise: 0.3}
	if got, want := g.Task().BayesError(), math.Erfc(math.Pi/2/0.3/math.Sqrt2); !(math.Abs(got/want-1) < 1e-12) {
		t.Errorf("%v: error %g, want %g", g, got, want)
	}
	// The rings far from the origin are a row of normal distributions.
	g = Generator{Name: "rings", Rings: 4, Noise: 0.02}
	if got, want := g.Task().BayesError(), 0.75*math.Erfc(0.125/0.02/math.Sqrt2); !(math.Abs(got/want-1) < 1e-3) {
		t.Errorf("%v: error %g, want %g", g, got, want)
	}
}

// The ring that is the most probable one changes at the boundary, and boundaries
// increase, so that every ring has its turn.
func TestRingsBoundaries(t *testing.T) {
	for _, g := range []Generator{
		{Name: "rings", Rings: 3, Noise: 0.05},
		{Name: "rings", Rings: 6, Noise: 0.4},
	} {
		for j := range g.Rings {
			for k := j + 1; k < g.Rings; k++ {
				b := g.ringBoundary(j, k)
				if gap := g.logRing(k, b*(1+1e-9)) - g.logRing(j, b*(1+1e-9)); !(gap > 0) {
					t.Errorf("%v: outside of %g ring %d is not above ring %d", g, b, k, j)
				}
				if gap := g.logRing(k, b*(1-1e-9)) - g.logRing(j, b*(1-1e-9)); !(gap < 0) {
					t.Errorf("%v: inside of %g ring %d is not above ring %d", g, b, j, k)
				}
			}
		}
	}
	for _, rings := range []int{3, 4, 10, 100} {
		for _, noise := range []float64{0.001, 0.01, 0.03, 0.1, 0.3, 0.6, 1, 3, 10} {
			g := Generator{Name: "rings", Rings: rings, Noise: noise}
			last := 0.
			for k := 1; k < rings; k++ {
				b := g.ringBoundary(k-1, k)
				if !(b > last) {
					t.Errorf("%v: boundary %d at %g after %g", g, k, b, last)
				}
				last = b
			}
		}
	}
}

// One moon is the other after half a turn about (½, ¼), and so are the clusters
// and rings images of themselves.
func TestSymmetries(t *testing.T) {
	p, q := make([]float64, 2), make([]float64, 2)
	for _, x := range [][]float64{{0.3, 0.4}, {-1.2, -0.7}, {2, 3}, {0.1, -5}} {
		for _, noise := range []float64{0.01, 0.1, 1, 10} {
			g := Generator{Name: "moons", Noise: noise}
			g.Task().Probabilities(p, x)
			g.Task().Probabilities(q, []float64{1 - x[0], 0.5 - x[1]})
			if !scalar.EqualWithinAbsOrRel(p[0], q[1], 1e-13, 1e-9) {
				t.Errorf("%v at %v: %g, and %g after half a turn", g, x, p, q)
			}
			g = Generator{Name: "xor", Noise: noise}
			g.Task().Probabilities(p, x)
			g.Task().Probabilities(q, []float64{-x[1], x[0]})
			if !scalar.EqualWithinAbsOrRel(p[0], q[1], 1e-13, 1e-9) {
				t.Errorf("%v at %v: %g, and %g after a quarter turn", g, x, p, q)
			}
		}
	}
}
