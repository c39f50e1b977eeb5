package kalman

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"

	"closedform/baselines/learners/mlp"
	"closedform/core/random"
)

// AAᵀ is the covariance of the label, whatever the order of large and
// small probabilities: variances to their last digits.
func TestFactorLabelIsARootOfTheCovariance(t *testing.T) {
	rnd := rand.New(random.Source("label"))
	for n := 2; n <= 7; n++ {
		for _, spread := range []float64{0.1, 3, 30, 300} {
			p := make([]float64, n)
			for j := range p {
				p[j] = spread * rnd.NormFloat64()
			}
			mlp.Normalise(p)
			a := vectors(n-1, n)
			factorLabel(a, p)
			product := func(i, j int) (sum float64) {
				for k := range a {
					sum += a[k][i] * a[k][j]
				}
				return sum
			}
			for i := range p {
				others := 0.0
				for j := range p {
					if i == j {
						continue
					}
					others += p[j]
					// Rounding errors are those of a correlation.
					scale := math.Sqrt(product(i, i)) * math.Sqrt(product(j, j))
					if got, want := product(i, j), -p[i]*p[j]; !(math.Abs(got-want) <= 1e-14*scale+1e-300) {
						t.Errorf("n = %d, spread %g: S_%d%d = %g, want %g", n, spread, i, j, got, want)
					}
				}
				if got, want := product(i, i), p[i]*others; !scalar.EqualWithinAbsOrRel(got, want, 1e-300, 1e-13) {
					t.Errorf("n = %d, spread %g: S_%d%[3]d = %g, want %g", n, spread, i, got, want)
				}
			}
		}
	}
}

func TestFactorLabelWhereProbabilitiesUnderflow(t *testing.T) {
	for _, p := range [][]float64{{0, 1, 0}, {1, 0, 0}, {0, 0, 1}, {1, 5e-324, 0}, {5e-324, 0, 1}} {
		a := vectors(2, 3)
		factorLabel(a, p)
		for k, row := range a {
			for i, x := range row {
				if !(math.Abs(x) <= 1e-160) {
					t.Errorf("p = %v: a_%d%d = %g, want 0", p, k, i, x)
				}
			}
		}
	}
}
