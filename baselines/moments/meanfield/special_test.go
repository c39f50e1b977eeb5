package meanfield

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"

	"closedform/core/gauss"
	"closedform/core/softmax"
	"closedform/internal/check"
)

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
