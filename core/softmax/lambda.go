package softmax

import (
	"fmt"
	"math"

	"closedform/core/gauss"
	"closedform/internal/kernel"
)

// SlopeLambda returns the λ at which the probit approximation with correlation
// ρ has the slope of the softmax of n classes at the origin, ∂s_j/∂(z_j−z_i) =
// 1/n²:
//
//	λ_n = 1 / (n² φ(0) P_{n−2})
//
// where P_k is the probability that k normal variables with the pairwise correlation
// ρ/(1+ρ), as Σ_0 leaves given one of its variables, are all negative:
//
//	P_k = ∫ φ(x) Φ(√ρ x)^k dx.
//
// It is +Inf where P_{n−2} underflows, beyond n = 1000 at ρ = 0. It panics unless
// n ≥ 2 and 0 ≤ ρ < 1.
func SlopeLambda(n int, rho float64) float64 {
	if n < 2 || !(rho >= 0 && rho < 1) {
		panic(fmt.Sprintf("softmax: slope-matched λ for n = %d, ρ = %g; need n ≥ 2 and 0 ≤ ρ < 1", n, rho))
	}
	// The trapezoidal rule: Φ(√ρx)ⁿ rises over a length of order 1/√log n.
	const h, cut = 1.0 / 16, 9.0
	root := math.Sqrt(rho)
	var orthant float64
	for x := -cut; x <= cut; x += h {
		orthant += h * gauss.PDF(x) * kernel.Exp(float64(n-2)*gauss.LogCDF(root*x))
	}
	return 1 / (float64(n) * float64(n) * gauss.PDF(0) * orthant)
}
