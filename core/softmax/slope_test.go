package softmax

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/stat/distuv"
)

func TestSlopeLambda(t *testing.T) {
	// λ is by definition where E at the origin is the softmax's 1/n².
	for _, n := range []int{2, 3, 4, 10, 100} {
		for _, rho := range []float64{0, 0.3, 0.5, 0.9} {
			got := NewMoments(n)
			Probit{SlopeLambda(n, rho), rho}.Moments(got, make([]float64, n), make([]float64, n))
			if want := 1 / float64(n*n); !scalar.EqualWithinRel(got.E.At(0, 1), want, 1e-8) && rho > 0 {
				t.Errorf("n=%d ρ=%g: slope %g at the origin, want %g", n, rho, got.E.At(0, 1), want)
			}
		}
	}
	// Closed forms: n = 2 for any ρ; n = 3, where P_1 = ½.
	half := distuv.UnitNormal.Prob(0)
	for _, rho := range []float64{0, 0.5, 0.9} {
		if got, want := SlopeLambda(2, rho), math.Sqrt(2*math.Pi)/4; !scalar.EqualWithinRel(got, want, 1e-14) {
			t.Errorf("λ_2 = %.16g, want %.16g", got, want)
		}
		if got, want := SlopeLambda(3, rho), 1/(9*half*0.5); !scalar.EqualWithinRel(got, want, 1e-14) {
			t.Errorf("λ_3 = %.16g, want %.16g", got, want)
		}
		// n = 4: P_2 = ¼ + asin(ρ/(1+ρ))/2π.
		if got, want := SlopeLambda(4, rho), 1/(16*half*(0.25+math.Asin(rho/(1+rho))/(2*math.Pi))); !scalar.EqualWithinRel(got, want, 1e-13) {
			t.Errorf("ρ=%g: λ_4 = %.16g, want %.16g", rho, got, want)
		}
	}
}
