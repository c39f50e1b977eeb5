package tagi

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"closedform/core/bnn"
	"closedform/core/gauss"
	"closedform/core/random"
	check "closedform/internal/checktest"
)

// The tree of ten classes is that of the authors' program: 11 nodes, in the order
// of levels, with the target −1 for the digit 1.
func TestTreeOfTenClasses(t *testing.T) {
	tree := newTree(10, 1)
	if tree.nodes != 11 || len(tree.path[0]) != 4 {
		t.Fatalf("%d nodes of depth %d", tree.nodes, len(tree.path[0]))
	}
	for class, want := range map[int]string{
		0: "[{0 1} {1 1} {3 1} {6 1}]",
		5: "[{0 1} {1 -1} {4 1} {8 -1}]",
		7: "[{0 1} {1 -1} {4 -1} {9 -1}]",
		9: "[{0 -1} {2 1} {5 1} {10 -1}]",
	} {
		if got := fmt.Sprint(tree.path[class]); got != want {
			t.Errorf("class %d: %s, want %s", class, got, want)
		}
	}
}

// Probabilities are the products, and add up to 1: without division where the tree
// is complete, and also where all products underflow.
func TestProbabilities(t *testing.T) {
	rnd := rand.New(random.Source("tree"))
	for _, n := range []int{2, 3, 4, 5, 8, 10, 33} {
		tree := newTree(n, 1)
		x, p := make([]float64, tree.nodes), make([]float64, n)
		for _, scale := range []float64{0, 1, 5, 1e3, 1e150} {
			for i := range x {
				x[i] = scale * rnd.NormFloat64()
			}
			if !tree.probabilities(p, x) {
				t.Errorf("n = %d, scale %g: overflow", n, scale)
			}
			check.Near(t, "sum", floats.Sum(p), 1, 1e-14)
			if scale > 5 {
				continue
			}
			total := 0.0
			product := make([]float64, n)
			for c := range n {
				product[c] = 1
				for _, s := range tree.path[c] {
					product[c] *= gauss.CDF(s.target * x[s.node])
				}
				total += product[c]
			}
			if n&(n-1) == 0 {
				check.Near(t, "sum of the products", total, 1, 1e-14)
			}
			for c := range n {
				check.Near(t, fmt.Sprintf("n = %d, scale %g: p of class %d", n, scale, c), p[c], product[c]/total, 1e-13)
			}
		}
	}
	// Of three classes, the third has a node of its own, whose other way leads to
	// nothing: where all say that it is taken, even logarithms may overflow.
	p := make([]float64, 3)
	if tree := newTree(3, 1); !tree.probabilities(p, []float64{-40, 0, -40}) || !(p[2] > 0.4) {
		t.Errorf("p = %v", p)
	} else if tree.probabilities(p, []float64{-1e200, 0, -1e200}) {
		t.Error("no overflow")
	}
}

// Outputs far above zero are nearly log-normal: their means, variances and covariances agree with
// samples. Of outputs that are often cut off at zero the means agree roughly.
func TestRemaxAgreesWithMonteCarlo(t *testing.T) {
	const draws = 200_000
	for _, c := range []struct {
		m, v          []float64
		mean, squares float64 // relative tolerances
	}{
		{[]float64{3, 2, 4}, []float64{0.04, 0.09, 0.01}, 3e-3, 0.04},
		{[]float64{1, 1.2}, []float64{0.01, 0.02}, 3e-3, 0.04},
		{[]float64{1, 1.2}, []float64{0.09, 0.01}, 0.01, 0.25},
		{[]float64{2, 0.3, -1}, []float64{0.5, 0.4, 0.6}, 0.15, math.Inf(1)},
	} {
		r := newRemax(len(c.m), 1)
		r.moments(c.m, c.v)
		check.Near(t, "sum", floats.Sum(r.mean), 1, 1e-14)
		rnd := rand.New(random.Source("remax"))
		z, a := make([][]float64, len(c.m)), make([][]float64, len(c.m))
		for range draws {
			sum := 0.0
			for j, m := range c.m {
				z[j] = append(z[j], m+math.Sqrt(c.v[j])*rnd.NormFloat64())
				sum += max(0, z[j][len(z[j])-1])
			}
			for j := range c.m {
				a[j] = append(a[j], max(0, z[j][len(z[j])-1])/max(sum, 1e-300))
			}
		}
		for j := range c.m {
			mean, variance := stat.MeanVariance(a[j], nil)
			check.Near(t, fmt.Sprint(c.m, ": mean ", j), r.mean[j], mean, c.mean*mean)
			check.Near(t, fmt.Sprint(c.m, ": variance ", j), r.variance[j], variance, c.squares*variance)
			if largest := math.Sqrt(r.variance[j] * c.v[j]); !(r.cov[j] <= largest*(1+1e-12)) {
				t.Errorf("%v: covariance %g of output %d; at most %g", c.m, r.cov[j], j, largest)
			}
			cov := stat.Covariance(a[j], z[j], nil)
			check.Near(t, fmt.Sprint(c.m, ": covariance ", j), r.cov[j], cov, c.squares*cov)
		}
	}
}

// A label moves the outputs as the regression of each on its share of the sum does.
func TestRemaxObserve(t *testing.T) {
	r, d, e := newRemax(3, 0.3), make([]float64, 3), make([]float64, 3)
	outputs := bnn.Layer{Mean: []float64{0.5, 1, -0.2}, Variance: []float64{0.3, 0.1, 0.4}}
	r.observe(d, e, outputs, 1)
	for j, v := range outputs.Variance {
		y := []float64{0, 1, 0}[j]
		gain := r.cov[j] / (r.variance[j] + 0.09)
		check.Near(t, "mean", v*d[j], gain*(y-r.mean[j]), 1e-15)
		check.Near(t, "variance", v*v*e[j], -gain*r.cov[j], 1e-15)
		if !(1+e[j]*v > 0) || (d[j] > 0) != (j == 1) {
			t.Errorf("output %d: d = %g, e = %g", j, d[j], e[j])
		}
	}
}
