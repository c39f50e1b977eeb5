package meanfield

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"closedform/core/random"
)

// sound reports what is wrong: NaN where the method gives a number, or a number
// where it does not.
func sound(name string, m *Method, mean, variance []float64) error {
	n := len(mean)
	got := evaluate(m, mean, variance)
	for j, p := range got.P {
		if math.IsNaN(p) {
			return fmt.Errorf("%s m=%v v=%v: p_%d = %g", name, mean, variance, j, p)
		}
	}
	switch m {
	case Taylor, Unscented:
	case Pairwise, PairwiseMean:
		for j, p := range got.P {
			if !(p >= 0 && p <= 1) {
				return fmt.Errorf("%s m=%v v=%v: p_%d = %g", name, mean, variance, j, p)
			}
		}
	case Daunizeau:
	default:
		if !(math.Abs(got.Excess()) < 1e-9) {
			return fmt.Errorf("%s m=%v v=%v: Σp − 1 = %g", name, mean, variance, got.Excess())
		}
	}
	for i := range n {
		for j := range n {
			cov, cross, pair := given(m, n, i, j)
			if math.IsInf(got.cov.At(i, j), 0) && math.IsNaN(got.E.At(i, j)) {
				pair = false // ∞ − ∞
			}
			for _, c := range []struct {
				what  string
				value float64
				given bool
			}{
				{"Σ_y", got.cov.At(i, j), cov}, {"Σ_zy", got.cross.At(i, j), cross}, {"E", got.E.At(i, j), pair},
			} {
				if math.IsNaN(c.value) == c.given {
					return fmt.Errorf("%s m=%v v=%v: %s_%d%d = %g", name, mean, variance, c.what, i, j, c.value)
				}
			}
		}
	}
	return nil
}

// given is the table of the package comment: does m give Σ_y,ij, Σ_zy,ij, E_ij?
func given(m *Method, n, i, j int) (cov, cross, pair bool) {
	switch m {
	case Delta, Taylor, Unscented:
		return true, true, true
	case LogNormal:
		return i == j, i == j, i == j
	case LaplaceBridge, LaplaceBridgeCorrected, probit1, probitScaled:
		return true, false, true
	case Daunizeau:
		return n == 2, false, n == 2 || i == j
	}
	return false, false, i == j
}

func TestExtremes(t *testing.T) {
	means := []float64{0, 1e-300, 1, -1, 40, -800, 1e8, -1e8, 1e150, -1e150}
	variances := []float64{0, math.SmallestNonzeroFloat64, 1e-300, 1e-20, 1, 100, 1e4, 1e150, 1e300}
	rnd := rand.New(random.Source("meanfield", "extremes"))
	for _, n := range []int{2, 3, 7} {
		mean, variance := make([]float64, n), make([]float64, n)
		for range 3000 {
			for j := range n {
				mean[j], variance[j] = means[rnd.IntN(len(means))], variances[rnd.IntN(len(variances))]
			}
			for name, m := range methods() {
				if err := sound(name, m, mean, variance); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

func FuzzMethods(f *testing.F) {
	f.Add(0.0, 1.0, -1.0, 1.0, 0.0, 2.0)
	f.Add(3.0, 3.0, 3.0, 0.0, 1e-9, 1e9)
	f.Add(1e8, 0.0, -1e8, 1e300, 0.0, 0.0)
	f.Fuzz(func(t *testing.T, m0, m1, m2, v0, v1, v2 float64) {
		mean, variance := []float64{m0, m1, m2}, []float64{math.Abs(v0), math.Abs(v1), math.Abs(v2)}
		for j := range mean {
			if !(math.Abs(mean[j]) <= 1e150 && variance[j] <= 1e300) {
				t.Skip()
			}
		}
		for name, m := range methods() {
			if err := sound(name, m, mean, variance); err != nil {
				t.Error(err)
			}
		}
	})
}
