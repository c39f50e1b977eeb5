package mvn

import (
	"math"
	"math/rand/v2"
	"testing"
)

// One and two factors hidden from the recognition, weak and strong ones, some limits
// far out, against quadrature over the factors: the error is within the bound, which is
// small, and much less than three units of depth before.
func TestPath(t *testing.T) {
	rnd := rand.New(rand.NewPCG(41, 42))
	for k := range 200 {
		d := 4 + k%4
		x := normals(rnd, d, float64(k%3))
		a := make([]float64, d)
		for i := range a {
			a[i] = math.Tanh(rnd.NormFloat64() + float64(k%2))
		}
		p, want := problemOf(x, filled(d, func(i, j int) float64 { return a[i] * a[j] })), oneFactor(x, a)
		if k%5 == 0 {
			b, corr := randomFactors(rnd, d, 0.6)
			p, want = problemOf(x, corr), twoFactor(x, b)
		}
		for _, q := range []float64{8, 10} {
			got, abserr := p.byPath(q, math.MaxInt)
			if math.IsNaN(got) {
				continue // too strong a factor
			}
			if !(math.Abs(got-want) < abserr && abserr < 100*math.Exp(-2*q)) {
				t.Errorf("case %d, depth %g: P = %.12g ± %.1e, want %.12g", k, q, got, abserr, want)
			}
		}
	}
}

// Variables that are independent given others: a chain, whose conditional correlations are exactly 0.
func TestPathIndependent(t *testing.T) {
	corr := filled(7, func(i, j int) float64 { return math.Pow(-0.5, float64(i-j)) })
	x := []float64{0.3, 1, -0.4, 2, 0, 0.5, 1}
	want := value(CDF(x, corr))
	if got, abserr := problemOf(x, corr).byPath(10, 1e6); !(math.Abs(got-want) < abserr) {
		t.Errorf("P = %.12g ± %.1e, want %.12g", got, abserr, want)
	}
}
