package gauss

import "math"

// TruncatedMean returns E[Z | Z ≤ x] = −h of a standard normal variable, with
// h = φ(x)/Φ(x). It tends to x for x → −∞ and to 0 for x → ∞.
func TruncatedMean(x float64) float64 { return -InverseMills(x) }

// TruncatedVar returns the variance of a standard normal variable truncated from
// above at x,
//
//	Var[Z | Z ≤ x] = 1 − x h − h², h = φ(x)/Φ(x).
//
// It tends to 1/x² for x → −∞, where the terms of the formula cancel, and to 1
// for x → ∞. For x = −t < 0 it is computed from the repeated integrals J_k(t)
// of the tail, with ρ = J₂/J₁ and 1/(t+ρ) = J₁/J₀ the mean of Z − t given
// Z > t:
//
//	Var[Z | Z > t] = J₂/J₀ − (J₁/J₀)² = (ρ (t+ρ) − 1)/(t+ρ)², ρ (t+ρ) ≥ π/2.
func TruncatedVar(x float64) float64 {
	switch {
	case math.IsInf(x, -1):
		return 0
	case x < 0:
		rho := excessRatio(-x)
		excess := 1 / (rho - x)
		return (rho/excess - 1) * excess * excess
	case x > underflow:
		return 1
	}
	h := InverseMills(x)
	return 1 - h*(x+h)
}
