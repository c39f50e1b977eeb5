package variational

import (
	"math"
	"testing"

	"closedform/core/gauss"
	"closedform/internal/check"
)

// exact is the posterior of two classes and one input by quadrature: evidence, means
// and variances of the difference of the weights of the classes, slope and bias, and
// the probability of class 0 at a point.
type exact struct {
	logEvidence float64
	mean, v     [2]float64
	p           float64
}

// integrate is a trapezoidal rule over the prior N(0, 2v) of both differences.
func integrate(v float64, x [][]float64, class []int, at float64) exact {
	const n, reach = 240, 8.0
	likelihood := func(d float64) float64 { return 1 / (1 + math.Exp(-d)) }
	sd, h := math.Sqrt(2*v), 2*reach/n
	var z, p float64
	var first, second [2]float64
	for i := range n + 1 {
		for j := range n + 1 {
			a, b := -reach+h*float64(i), -reach+h*float64(j)
			w := h * h * gauss.PDF(a) * gauss.PDF(b)
			d := [2]float64{sd * a, sd * b}
			for k, example := range x {
				w *= likelihood(float64(1-2*class[k]) * (d[0]*example[0] + d[1]))
			}
			z += w
			p += w * likelihood(d[0]*at+d[1])
			for l, dl := range d {
				first[l] += w * dl
				second[l] += w * dl * dl
			}
		}
	}
	e := exact{logEvidence: math.Log(z), p: p / z}
	for l := range first {
		e.mean[l] = first[l] / z
		e.v[l] = second[l]/z - e.mean[l]*e.mean[l]
	}
	return e
}

// Against the exact posterior the means are near, the bound below the evidence, and the
// variances of the differences too large: the labels make the weights of the classes
// correlated, and independent ones without that have up to twice the variance.
func TestAgainstQuadrature(t *testing.T) {
	const v = 4
	x, class, _ := check.Clusters(25, 1, 2, "quadrature")
	m := train(t, v, x, class, 1, 2)
	for _, at := range []float64{-3, 0, 0.7, 4} {
		want := integrate(v, x, class, at)
		if got := check.Predict(t, m, 2, at)[0]; !(math.Abs(got-want.p) < 0.06) {
			t.Errorf("at %g: probability %.4f, exact %.4f", at, got, want.p)
		}
	}
	want, s := integrate(v, x, class, 0), m.cov()
	elbo := elbo(v, x, class, m.weights, m.covariance())
	if gap := want.logEvidence - elbo; !(gap > 0 && gap < 3) {
		t.Errorf("ELBO %.4f, log evidence %.4f", elbo, want.logEvidence)
	}
	for l := range 2 {
		if ratio := 2 * s.At(l, l) / want.v[l]; !(ratio > 1.2 && ratio < 1.8) {
			t.Errorf("variance of difference %d is %.3f of the exact one", l, ratio)
		}
		d := m.weights.At(0, l) - m.weights.At(1, l)
		if off := (d - want.mean[l]) / math.Sqrt(want.v[l]); !(math.Abs(off) < 0.2) {
			t.Errorf("mean of difference %d is %.3f standard deviations from the exact one", l, off)
		}
	}
}
