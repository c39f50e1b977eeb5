package data

import (
	"fmt"
	"math"
	"testing"

	"closedform/internal/check"
)

func TestBayesErrorReference(t *testing.T) {
	for _, record := range check.Records(t, "testdata/bayes_error.csv") {
		row := check.Numbers(t, record[1:])
		g, tol := Generator{Name: record[0], Noise: row[1]}, 1e-12
		switch g.Name {
		case "moons":
			tol = 1e-8
		case "spirals":
			g.Arms = int(row[0])
		case "rings":
			g.Rings = int(row[0])
		}
		check.Near(t, fmt.Sprint(g), g.Task().BayesError(), row[2], tol*row[2])
	}
}

func TestClassProbabilitiesReference(t *testing.T) {
	for _, record := range check.Records(t, "testdata/logit.csv") {
		row := check.Numbers(t, record[1:])
		g := Generator{Name: record[0], Noise: row[0]}
		p := make([]float64, g.Task().Classes)
		if !g.Task().Probabilities(p, row[1:3]) {
			t.Fatalf("%v knows no probabilities", g)
		}
		check.Near(t, fmt.Sprint(g, row[1:3]), math.Log(p[1])-math.Log(p[0]), row[3], 1e-11*max(1, math.Abs(row[3])))
	}
}

// Without overlap the errors vanish, and with noise alone they are those of guessing.
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
