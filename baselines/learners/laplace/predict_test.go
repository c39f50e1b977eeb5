package laplace

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
)

// logitsOnly returns logits with the given Gaussian.
func logitsOnly(mean []float64, cov *mat.SymDense) *logits {
	z := newLogits(len(mean))
	z.mean, z.cov = mean, cov
	return &z
}

// randomLogits draws a Gaussian of n logits with variances of about the scale.
func randomLogits(n int, scale float64, rnd *rand.Rand) ([]float64, *mat.SymDense) {
	mean, root := make([]float64, n), mat.NewDense(n, n+1, nil)
	for i := range n {
		mean[i] = 2 * rnd.NormFloat64()
		for j := range n + 1 {
			root.Set(i, j, math.Sqrt(scale/float64(n))*rnd.NormFloat64())
		}
	}
	cov := mat.NewSymDense(n, nil)
	cov.SymOuterK(1, root)
	return mean, cov
}

func normals(n int, rnd *rand.Rand) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = rnd.NormFloat64()
	}
	return out
}

// For two classes probit has a closed form, and Monte Carlo the integral's value within
// five standard errors, here of 10⁵ pairs whose deviation is at most ½.
func TestTwoClasses(t *testing.T) {
	rnd := rand.New(random.Source("laplace", "two"))
	normal := normals(2e5, rnd)
	for range 20 {
		mean, cov := randomLogits(2, 5, rnd)
		m, v := mean[0]-mean[1], cov.At(0, 0)+cov.At(1, 1)-2*cov.At(0, 1)
		var want, mass float64
		for u := -10.0; u <= 10; u += 1.0 / 64 {
			weight := math.Exp(-u * u / 2)
			want += weight / (1 + math.Exp(-m-u*math.Sqrt(v)))
			mass += weight
		}
		want /= mass
		s, p := logitsOnly(mean, cov), make([]float64, 2)
		s.probit(p)
		// Each centred logit is half the difference, with a quarter of its variance.
		if half := 1 / (1 + math.Exp(-m/math.Sqrt(1+math.Pi*v/32))); !scalar.EqualWithinAbs(p[0], half, 1e-12) {
			t.Errorf("m = %g, v = %g: probit %g, want %g", m, v, p[0], half)
		}
		s.monteCarlo(p, normal)
		if !scalar.EqualWithinAbs(p[0], want, 5*0.5/math.Sqrt(1e5)) {
			t.Errorf("m = %g, v = %g: Monte Carlo %g, want %g", m, v, p[0], want)
		}
	}
}

// No rule sees what all logits have in common.
func TestInvariances(t *testing.T) {
	rnd := rand.New(random.Source("laplace", "invariances"))
	const n = 5
	normal := normals(n*100000, rnd)
	rules := []struct {
		name      string
		rule      func(*logits, []float64)
		tolerance float64
	}{
		{"probit", (*logits).probit, 1e-12},
		{"monte-carlo", func(s *logits, p []float64) { _ = s.monteCarlo(p, normal) }, 5 * 0.5 / math.Sqrt(1e5)},
	}
	mean, cov := randomLogits(n, 2, rnd)
	for _, r := range rules {
		want, got := make([]float64, n), make([]float64, n)
		r.rule(logitsOnly(mean, cov), want)

		shifted, common := slices.Clone(mean), mat.NewSymDense(n, nil)
		for i := range n {
			shifted[i] += 7
			for j := range i + 1 {
				common.SetSym(i, j, cov.At(i, j)+30)
			}
		}
		r.rule(logitsOnly(shifted, common), got)
		if !floats.EqualApprox(got, want, r.tolerance) {
			t.Errorf("%s: %g with a common part, %g without", r.name, got, want)
		}
	}
}

// Draws mirror each other: what is even by symmetry is even with any number of them.
func TestDrawsMirror(t *testing.T) {
	rnd := rand.New(random.Source("laplace", "mirror"))
	even, p := logitsOnly([]float64{1, 1}, mat.NewSymDense(2, []float64{2, 1, 1, 3})), make([]float64, 2)
	if err := even.monteCarlo(p, normals(6, rnd)); err != nil || !floats.EqualApprox(p, []float64{0.5, 0.5}, 1e-14) {
		t.Errorf("equal logits have the probabilities %g", p)
	}
}
