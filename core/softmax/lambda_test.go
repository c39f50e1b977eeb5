package softmax

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"

	"closedform/internal/check"
)

// λ is by definition where E at the origin is the softmax's 1/n². Closed forms: n = 2
// for any ρ; n = 3, where P_1 = ½; n = 4: P_2 = ¼ + asin(ρ/(1+ρ))/2π.
func TestSlopeLambda(t *testing.T) {
	for _, rho := range []float64{0, 0.3, 0.5, 0.9} {
		for _, n := range []int{2, 3, 4, 10, 100} {
			got := moments(Probit{SlopeLambda(n, rho), rho}, make([]float64, n), make([]float64, n))
			if want := 1 / float64(n*n); !scalar.EqualWithinRel(got.E.At(0, 1), want, 1e-8) && rho > 0 {
				t.Errorf("n=%d ρ=%g: derivative %g at the origin, want %g", n, rho, got.E.At(0, 1), want)
			}
		}
		root := math.Sqrt(2 * math.Pi)
		check.Near(t, "λ_2", SlopeLambda(2, rho), root/4, 1e-14)
		check.Near(t, "λ_3", SlopeLambda(3, rho), root/(9*0.5), 1e-14)
		check.Near(t, "λ_4", SlopeLambda(4, rho), root/(16*(0.25+math.Asin(rho/(1+rho))/(2*math.Pi))), 1e-13)
	}
}
