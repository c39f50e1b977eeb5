package study

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"closedform/core/bnn"
	"closedform/runner/internal/dataset"
)

// exact returns mean and variance of the softmax of three Gaussian logits, by
// the trapezoidal rule in all three.
func exact(mean, variance []float64) (p, v [3]float64) {
	const h, reach = 0.5, 6.0
	var e, w [3][]float64 // exp(z) and weight at the nodes
	for j, m := range mean {
		for x := -reach; x <= reach; x += h {
			e[j] = append(e[j], math.Exp(m+math.Sqrt(variance[j])*x))
			w[j] = append(w[j], h*math.Exp(-x*x/2)/math.Sqrt(2*math.Pi))
		}
	}
	for i0, e0 := range e[0] {
		for i1, e1 := range e[1] {
			for i2, e2 := range e[2] {
				weight, sum := w[0][i0]*w[1][i1]*w[2][i2], e0+e1+e2
				for j, ej := range [3]float64{e0, e1, e2} {
					s := ej / sum
					p[j] += weight * s
					v[j] += weight * s * s
				}
			}
		}
	}
	for j := range p {
		v[j] -= p[j] * p[j]
	}
	return p, v
}

// The Monte Carlo columns are within their standard errors of the exact moments
// of the softmax, and the standard errors are no larger than they must be.
func TestMonteCarloColumns(t *testing.T) {
	const samples = 2000
	m := parse(t, small, fmt.Sprintf("monte_carlo.samples=%d", samples))
	o := run(t, m)
	var squares, terms float64
	for _, variant := range []string{"joint", "total"} {
		for _, k := range m.Learn.Evaluate.Snapshots {
			n := restore(t, o, m, variant, m.Seed, strconv.Itoa(k))
			var f bnn.Prediction
			for i, r := range records(t, o.report.Tables, "grid", record{"variant": variant, "k": strconv.Itoa(k)}) {
				if i%5 != 0 || r["x1"] == "0" && r["x2"] == "0" {
					continue // every point has noise of its own; at the origin all logits are certain
				}
				if err := n.Predict(&f, []float64{r.number(t, "x1"), r.number(t, "x2")}); err != nil {
					t.Fatal(err)
				}
				p, v := exact(f.Mean, f.Variance)
				for j := range 3 {
					check := func(name string, got, err, want float64) {
						if !(err > 0) {
							t.Errorf("%s k=%d (%s, %s): standard error %g of %s_%d", variant, k, r["x1"], r["x2"], err, name, j+1)
						}
						z := (got - want) / err
						if !(math.Abs(z) < 5) {
							t.Errorf("%s k=%d (%s, %s): %s_%d = %g ± %g, %.1f standard errors from %g", variant, k, r["x1"], r["x2"], name, j+1, got, err, z, want)
						}
						squares += z * z
						terms++
					}
					pErr, variance := r.numbers(t, "p#_se")[j], r.numbers(t, "var#_mc")[j]
					check("p", r.numbers(t, "p#_mc")[j], pErr, p[j])
					check("var", variance, r.numbers(t, "var#_se")[j], v[j])
					near(t, "number of samples", variance/(pErr*pErr), samples, 1e-9)
				}
			}
		}
	}
	if mean := squares / terms; !(mean > 0.7 && mean < 1.4) {
		t.Errorf("mean square of %g deviations in standard errors: %.2f, want 1", terms, mean)
	}
}

func TestSquare(t *testing.T) {
	g, err := dataset.Lookup("wedges")
	if err != nil {
		t.Fatal(err)
	}
	s := newSquare(g, 4, 3)
	if len(s.x) != 16 || !slices.Equal(s.x[1], []float64{-2 + 4.0/3, -2}) || !slices.Equal(s.x[4], []float64{-2, -2 + 4.0/3}) {
		t.Errorf("points %v", s.x)
	}
	if !slices.Equal(s.coarse, []int{0, 3, 12, 15}) {
		t.Errorf("every third line crosses at %v", s.coarse)
	}
	for i, x := range s.x {
		if s.all[i] != i || s.class[i] != truth(x[0], x[1])-1 {
			t.Errorf("point %d is (%g, %g) of class %d", s.all[i], x[0], x[1], s.class[i])
		}
	}
}
