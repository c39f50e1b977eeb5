package meanfield

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// exact computes the moments for n = 3 by the trapezoidal rule in all three
// logits, relative to the softmax of the means.
func exact(mean, variance []float64) (p []float64, cov, cross *mat.Dense) {
	const h, cut = 0.5, 7.0
	centre := softmaxOf(mean)
	p, cov, cross = make([]float64, 3), mat.NewDense(3, 3, nil), mat.NewDense(3, 3, nil)
	var x, d [3]float64
	for x[0] = -cut; x[0] <= cut; x[0] += h {
		for x[1] = -cut; x[1] <= cut; x[1] += h {
			for x[2] = -cut; x[2] <= cut; x[2] += h {
				w := h * h * h * math.Exp(-0.5*(x[0]*x[0]+x[1]*x[1]+x[2]*x[2])) / math.Pow(2*math.Pi, 1.5)
				z := make([]float64, 3)
				for j := range z {
					z[j] = mean[j] + math.Sqrt(variance[j])*x[j]
				}
				for j, s := range softmaxOf(z) {
					d[j] = s - centre[j]
					p[j] += w * d[j]
				}
				for i := range 3 {
					for j := range 3 {
						cov.Set(i, j, cov.At(i, j)+w*d[i]*d[j])
						cross.Set(i, j, cross.At(i, j)+w*(z[i]-mean[i])*d[j])
					}
				}
			}
		}
	}
	for i := range 3 {
		for j := range 3 {
			cov.Set(i, j, cov.At(i, j)-p[i]*p[j])
		}
	}
	for j := range 3 {
		p[j] += centre[j]
	}
	return p, cov, cross
}

// largest returns the largest errors of p, Σ_y and Σ_zy, over what is given.
func largest(m *Method, mean, variance []float64) [3]float64 {
	p, cov, cross := exact(mean, variance)
	got := evaluate(m, mean, variance)
	var e [3]float64
	for i := range 3 {
		e[0] = max(e[0], math.Abs(got.P[i]-p[i]))
		for j := range 3 {
			if c := got.cov.At(i, j); !math.IsNaN(c) {
				e[1] = max(e[1], math.Abs(c-cov.At(i, j)))
			}
			if c := got.cross.At(i, j); !math.IsNaN(c) {
				e[2] = max(e[2], math.Abs(c-cross.At(i, j)))
			}
		}
	}
	return e
}

// The order in the variances of the errors of p, Σ_y and Σ_zy: doubling the
// variances multiplies the error by 2^order. Zero: not given.
func TestOrders(t *testing.T) {
	mean := []float64{0.8, -0.5, 0.1}
	small, twice := []float64{0.004, 0.01, 0.007}, []float64{0.008, 0.02, 0.014}
	for name, want := range map[string][3]float64{
		"Delta":     {1, 2, 2},
		"Taylor":    {2, 2, 2},
		"Unscented": {2, 2, 2},
		"MacKay":    {1, 0, 0},
		"Pairwise1": {1, 0, 0},
		"Daunizeau": {1, 0, 0},
		"LogNormal": {2, 2, 2},
	} {
		a, b := largest(methods()[name], mean, small), largest(methods()[name], mean, twice)
		for k, what := range []string{"p", "Σ_y", "Σ_zy"} {
			if want[k] == 0 {
				continue
			}
			if order := math.Log2(b[k] / a[k]); !(math.Abs(order-want[k]) < 0.15) {
				t.Errorf("%s: error of %s of order %.2f, want %g (errors %.1e, %.1e)", name, what, order, want[k], a[k], b[k])
			}
		}
	}
}
