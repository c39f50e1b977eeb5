package gauss

import (
	"math"

	"closedform/core/kernel"
)

// Rectified returns the moments of the rectified normal variable max(Z+a, 0),
// where Z is standard normal:
//
//	prob     = P(Z+a > 0) = Cov(Z, max(Z+a, 0)) = Φ(a)
//	gap      = E max(Z+a, 0) − max(a, 0) = φ(a) − |a| Φ(−|a|)
//	variance = Var max(Z+a, 0)
//	         = (1+a²) Φ(a) + a φ(a) − (a Φ(a) + φ(a))²
//
// For a = −t ≤ 0, where these expressions cancel, gap = φ J₁ and
// variance = φ J₁ (J₂/J₁ − φ J₁) with the repeated integrals J_k(t) of the
// tail; the bracket is at least two thirds of its first term. For a > 0 they
// follow from max(Z+a, 0) = Z + a + max(−Z−a, 0), whose last term has
// covariance −Φ(−a) with Z.
func Rectified(a float64) (prob, gap, variance float64) {
	var p, g, v [1]float64
	kernel.Rectified(p[:], g[:], v[:], []float64{a})
	return p[0], g[0], v[0]
}

// TruncatedVar returns the variance of a standard normal variable truncated from
// above at x,
//
//	Var[Z | Z ≤ x] = 1 − x h − h², h = φ(x)/Φ(x) = −E[Z | Z ≤ x].
//
// It tends to 1/x² for x → −∞, where the terms cancel, and to 1 for x → ∞. For
// x = −t < 0 it is computed from the repeated integrals J_k(t) of the tail, with
// ρ = J₂/J₁ and 1/(t+ρ) = J₁/J₀:
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
	case x > kernel.Underflow:
		return 1
	}
	h := InverseMills(x)
	return 1 - h*(x+h)
}
