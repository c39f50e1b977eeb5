package tagi

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/internal/check"
)

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

// A certain output is what the rectifiers say, and the least probable have a millionth.
func TestRemaxOfCertainOutputs(t *testing.T) {
	r := newRemax(4, 1)
	r.moments([]float64{1, 3, -2, -50}, []float64{1e-12, 1e-12, 1e-12, 1e-12})
	check.NearAll(t, "means", r.mean, []float64{0.25, 0.75, 1e-6, 1e-6}, 1e-5)
	if !(floats.Min(r.mean) > 0.9e-6) {
		t.Errorf("means %v", r.mean)
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
