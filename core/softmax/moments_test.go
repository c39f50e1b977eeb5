package softmax

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Σ_y and Σ_zy of the exact softmax have zero row sums; those of the probit
// with ρ = ½ inherit that.
func TestCovAndCrossRowSums(t *testing.T) {
	const n = 6
	got := NewMoments(n)
	var cov mat.SymDense
	var cross mat.Dense
	cases(n, 30, func(p Probit, m, v []float64) {
		p.Rho = 0.5
		p.Moments(got, m, v)
		got.Cov(&cov)
		got.Cross(&cross, v)
		for i := range n {
			var a, b float64
			for j := range n {
				a += cov.At(i, j)
				b += cross.At(i, j)
			}
			if !(math.Abs(a) < 2e-11) || !(math.Abs(b) < 2e-11*(1+v[i])) {
				t.Errorf("row %d: ΣΣ_y = %g, ΣΣ_zy = %g", i, a, b)
			}
		}
	})
}

func TestPanics(t *testing.T) {
	ok := []float64{0, 0, 0}
	for name, f := range map[string]func(){
		"classes":  func() { NewMoments(1) },
		"lengths":  func() { Probit{1, 0.5}.Moments(NewMoments(3), ok[:2], ok) },
		"λ":        func() { Probit{0, 0.5}.Moments(NewMoments(3), ok, ok) },
		"ρ":        func() { Probit{1, 1}.Moments(NewMoments(3), ok, ok) },
		"mean":     func() { Probit{1, 0.5}.Moments(NewMoments(3), []float64{0, math.NaN(), 0}, ok) },
		"variance": func() { Probit{1, 0.5}.Moments(NewMoments(3), ok, []float64{0, -1, 0}) },
		"Cov":      func() { NewMoments(3).Cov(mat.NewSymDense(2, nil)) },
		"Cross":    func() { NewMoments(3).Cross(mat.NewDense(3, 2, nil), ok) },
		"slope":    func() { SlopeLambda(1, 0.5) },
	} {
		func() {
			defer func() {
				if r := fmt.Sprint(recover()); len(r) < 9 || r[:9] != "softmax: " {
					t.Errorf("%s: recovered %q", name, r)
				}
			}()
			f()
		}()
	}
}
