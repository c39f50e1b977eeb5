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

// Near a singular matrix the path either knows, or leaves it to others.
func TestPathNearlySingular(t *testing.T) {
	rnd := rand.New(rand.NewPCG(43, 44))
	var left int
	const cases = 40
	for k := range cases {
		size, rows := math.Pow(10, -3*rnd.Float64()), make([][]float64, 5)
		for i := range rows {
			rows[i] = normals(rnd, 8, 0)
			for j := 1 + k%4; j < 8; j++ {
				rows[i][j] *= size
			}
			rows[i] = scaledRow(rows[i])
		}
		p := problemOf(normals(rnd, 5, 0.5), filled(5, func(i, j int) float64 { return inner(rows[i], rows[j]) }))
		got, abserr := p.byPath(10, math.MaxInt)
		if math.IsNaN(got) {
			left++
			continue
		}
		if want, bound := p.lattice(1e-6, 5e5); !(math.Abs(got-want) < abserr+bound) {
			t.Errorf("size %.1e: P = %.12g ± %.1e, lattice rule %.12g ± %.1e", size, got, abserr, want, bound)
		}
	}
	if !(left > cases/10 && left < cases*9/10) {
		t.Errorf("%d of %d left to the lattice rule", left, cases)
	}
}
