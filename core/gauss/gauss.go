// Package gauss is the standard normal distribution, in the tails too: its density, distribution function and
// log distribution function, and the first two moments of a normal variable that is truncated.
//
// With φ the density and Φ the distribution function, every function is accurate to a relative error of a few
// 1e-15 wherever its value is a normal float64; where the value underflows it is 0. Arguments of any size are
// allowed, an infinite one gives the limit, and NaN gives NaN. The functions keep nothing and are safe for
// concurrent use.
package gauss

import (
	"math"

	"closedform/internal/kernel"
)

const logSqrt2Pi = 0.918938533204672741780329736405617640 // log √(2π)

// PDF returns the density φ(x) = exp(−x²/2)/√(2π).
func PDF(x float64) float64 { return kernel.Density(min(math.Abs(x), kernel.Underflow)) }

// CDF returns the distribution function Φ(x) = ∫_{−∞}^x φ(z) dz.
func CDF(x float64) float64 {
	_, cdf := PDFCDF(x)
	return cdf
}

// PDFCDF returns φ(x) and Φ(x) for the price of one exponential.
func PDFCDF(x float64) (pdf, cdf float64) {
	t := min(math.Abs(x), kernel.Underflow)
	pdf = kernel.Density(t)
	p, q := kernel.Tail(t)
	n := p + t*q
	cdf = pdf * (n / (q + t*n)) // φ(t) J₀(t) = Φ(−t)
	if x > 0 {
		cdf = 1 - cdf
	}
	return pdf, cdf
}

// LogCDF returns log Φ(x).
func LogCDF(x float64) float64 {
	if x < 0 {
		return -x*x/2 - logSqrt2Pi - kernel.Log(InverseMills(x))
	}
	return math.Log1p(-CDF(-x))
}

// InverseMills returns the inverse Mills ratio φ(x)/Φ(x), the derivative of log Φ(x).
func InverseMills(x float64) float64 {
	if x < 0 {
		t := -x
		return t + 1/(t+excessRatio(t)) // 1/J₀ = t + J₁/J₀
	}
	pdf, cdf := PDFCDF(x)
	return pdf / cdf
}

// TruncatedVar returns the variance of a standard normal variable truncated from above at x,
//
//	Var[Z | Z ≤ x] = 1 − x h − h², h = φ(x)/Φ(x) = −E[Z | Z ≤ x].
//
// For x = −t < 0, where the terms cancel, it is computed from the repeated integrals J_k(t) of the tail, with
// ρ = J₂/J₁ and 1/(t+ρ) = J₁/J₀, as (ρ (t+ρ) − 1)/(t+ρ)², ρ (t+ρ) ≥ π/2.
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

// excessRatio returns J₂(t)/J₁(t) for any t ≥ 0.
func excessRatio(t float64) float64 {
	const maxTail = 1e9 // from there on it is 2/t to full precision
	if t > maxTail {
		return 2 / t
	}
	p, q := kernel.Tail(t)
	return p / q
}
