package data

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
)

// readRows returns the rows of a CSV file with # comments: a name, then numbers.
func readRows(t *testing.T, file string) (names []string, numbers [][]float64) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line[0] == '#' {
			continue
		}
		row := strings.Split(strings.TrimSpace(line), ",")
		v := make([]float64, len(row)-1)
		for j := range v {
			if v[j], err = strconv.ParseFloat(row[j+1], 64); err != nil {
				t.Fatal(err)
			}
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
	for name := range generators {
		if name == "wedges" {
			continue
		}
		g := Generator{Name: name, Noise: minNoise}
		if e := g.Task().BayesError(); !(e >= 0 && e < 2e-6) {
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

// The boundaries increase, so that every ring is the most probable one somewhere.
func TestRingsBoundaries(t *testing.T) {
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
