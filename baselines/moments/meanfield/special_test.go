package meanfield

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"

	"closedform/core/gauss"
	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/internal/check"
)

// The bridge inverts the Laplace approximation of a Dirichlet distribution.
func TestBridgeInvertsLaplace(t *testing.T) {
	rnd := rand.New(random.Source("meanfield", "bridge"))
	for _, n := range []int{2, 3, 10} {
		alpha := make([]float64, n)
		mu, variance := make([]float64, n), make([]float64, n)
		var inverse, logs float64
		for k := range alpha {
			alpha[k] = math.Exp(2 * rnd.NormFloat64())
			inverse += 1 / alpha[k]
			logs += math.Log(alpha[k])
		}
		f := float64(n)
		for k, a := range alpha {
			mu[k] = math.Log(a) - logs/f
			variance[k] = (1-2/f)/a + inverse/(f*f)
		}
		p, concentration := bridge(mu, variance)
		for k, a := range alpha {
			if got := p[k] * concentration; !scalar.EqualWithinRel(got, a, 1e-12) {
				t.Errorf("n=%d: α_%d = %g, want %g", n, k, got, a)
			}
		}
		var want mat.SymDense
		got := mat.NewSymDense(n, nil)
		for k := range n * n {
			got.SetSym(k/n, k%n, dirichlet(p, concentration).cov(k/n, k%n))
		}
		distmv.NewDirichlet(alpha, nil).CovarianceMatrix(&want)
		if !mat.EqualApprox(got, &want, 1e-14) {
			t.Errorf("n=%d: covariance %v, want %v", n, mat.Formatted(got), mat.Formatted(&want))
		}
	}
}

// For two classes with Φ(z_1) + Φ(z_2) = 1 in the mean and equal variances, the
// Dirichlet is a beta distribution with the exact variance of Φ(z).
func TestNormalizedProbitMatchesBeta(t *testing.T) {
	for _, m := range []float64{0, 0.5, -2, 6} {
		for _, v := range []float64{1e-8, 0.3, 2, 50} {
			a, h := 0.0, 1.0/64
			for x := -12.0; x <= 12; x += h { // in the tail where Φ keeps its digits
				d := gauss.CDF(math.Sqrt(v)*x-math.Abs(m)) - gauss.CDF(-math.Abs(m)/math.Sqrt(1+v))
				a += h * gauss.PDF(x) * d * d
			}
			got := evaluate(probit1, []float64{m, -m}, []float64{v, v}).cov.At(0, 0)
			if !scalar.EqualWithinRel(got, a, 1e-7) {
				t.Errorf("m=%g v=%g: Var = %.10g, of Φ(z) %.10g", m, v, got, a)
			}
		}
	}
}

func TestPanics(t *testing.T) {
	two, inf, nan := []float64{0, 0}, math.Inf(1), math.NaN()
	for name, m := range methods() {
		for _, c := range [][2][]float64{
			{two, {1}}, {{0}, {1}}, {two, {-1, 0}}, {two, {inf, 0}}, {two, {nan, 0}}, {{nan, 0}, two}, {{inf, 0}, two},
		} {
			mean, variance := c[0], c[1]
			label := fmt.Sprintf("%s m=%v v=%v ", name, mean, variance)
			check.AllPanic(t, map[string]func(){
				label + "Moments": func() { m.Moments(softmax.NewMoments(2), mean, variance) },
				label + "Covariances": func() {
					m.Covariances(mat.NewSymDense(2, nil), mat.NewDense(2, 2, nil), mean, variance)
				},
			})
		}
		check.AllPanic(t, map[string]func(){
			name + " three classes": func() { m.Covariances(mat.NewSymDense(3, nil), mat.NewDense(3, 3, nil), two, two) },
			name + " Σ_zy 2×3":      func() { m.Covariances(mat.NewSymDense(2, nil), mat.NewDense(2, 3, nil), two, two) },
		})
	}
}
