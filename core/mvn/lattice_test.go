package mvn

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/gauss"
	check "closedform/internal/checktest"
)

// twoFactor returns P(X ≤ x) for X_k = b_k·T + s_k Z_k with two independent factors T, by the trapezoidal
// rule in both.
func twoFactor(x []float64, b [][2]float64) float64 {
	const step, reach = 0.25, 8.0
	var sum float64
	for u := -reach; u <= reach; u += step {
		for v := -reach; v <= reach; v += step {
			y := gauss.PDF(u) * gauss.PDF(v)
			for k, bk := range b {
				y *= gauss.CDF((x[k] - bk[0]*u - bk[1]*v) / math.Sqrt(1-bk[0]*bk[0]-bk[1]*bk[1]))
				if y < 1e-18 {
					break
				}
			}
			sum += y
		}
	}
	return sum * step * step
}

// randomFactors returns loadings on two factors, of communality c, and the matrix.
func randomFactors(rnd *rand.Rand, d int, c float64) ([][2]float64, *mat.SymDense) {
	b := make([][2]float64, d)
	for i := range b {
		sin, cos := math.Sincos(2 * math.Pi * rnd.Float64())
		b[i] = [2]float64{math.Sqrt(c) * cos, math.Sqrt(c) * sin}
	}
	return b, check.Correlations(d, func(i, j int) float64 { return b[i][0]*b[j][0] + b[i][1]*b[j][1] })
}

// One and two factors hidden from the recognition, weak and strong ones, some limits far out, against
// quadrature over the factors: the error is within its bound, which is small.
func TestUnstructured(t *testing.T) {
	rnd := rand.New(rand.NewPCG(41, 42))
	for k := range 40 {
		d := 4 + k%4
		x := normals(rnd, d, float64(k%3))
		a := make([]float64, d)
		for i := range a {
			a[i] = math.Tanh(rnd.NormFloat64() + float64(k%2))
		}
		corr := check.Correlations(d, func(i, j int) float64 { return a[i] * a[j] })
		p, want := problemOf(x, corr), oneFactor(x, a)
		if k%5 == 0 {
			b, corr := randomFactors(rnd, d, 0.6)
			p, want = problemOf(x, corr), twoFactor(x, b)
		}
		got, abserr := p.lattice(1e-5, 3e5)
		if !(math.Abs(got-want) < abserr && abserr < 1e-3) {
			t.Errorf("case %d: P = %.12g ± %.1e, want %.12g", k, got, abserr, want)
		}
		if d == 4 {
			got, abserr = p.conditional()
			if !(math.Abs(got-want) < abserr && abserr < 1e-7) {
				t.Errorf("case %d: P = %.15g ± %.1e, want %.15g", k, got, abserr, want)
			}
		}
	}
}
