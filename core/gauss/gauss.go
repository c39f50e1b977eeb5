// Package gauss is the standard normal distribution, in the tails too: its
// density, distribution function and log distribution function, and the first
// two moments of a normal variable that is truncated or rectified.
//
// With φ the density and Φ the distribution function, every function is
// accurate to a relative error of a few 1e-15 wherever its value is a normal
// float64; where the value underflows it is 0. Arguments of any size are
// allowed, an infinite one gives the limit, and NaN gives NaN.
package gauss

import (
	"math"

	"closedform/core/kernel"
)

const logSqrt2Pi = 0.918938533204672741780329736405617640 // log √(2π)

// PDF returns the density φ(x) = exp(−x²/2)/√(2π).
func PDF(x float64) float64 {
	if !(math.Abs(x) < kernel.Underflow) {
		pdf, _ := limits(x)
		return pdf
	}
	return kernel.Density(x)
}

// CDF returns the distribution function Φ(x) = ∫_{−∞}^x φ(z) dz.
func CDF(x float64) float64 {
	_, cdf := PDFCDF(x)
	return cdf
}

// PDFCDF returns φ(x) and Φ(x) for the price of one exponential.
func PDFCDF(x float64) (pdf, cdf float64) {
	t := math.Abs(x)
	if !(t < kernel.Underflow) {
		return limits(x)
	}
	pdf = kernel.Density(t)
	p, q := kernel.Tail(t)
	n := p + t*q
	cdf = pdf * (n / (q + t*n)) // φ(t) J₀(t) = Φ(−t)
	if x > 0 {
		cdf = 1 - cdf
	}
	return pdf, cdf
}

// limits returns φ(x) and Φ(x) for |x| ≥ [kernel.Underflow] and for NaN.
func limits(x float64) (pdf, cdf float64) {
	switch {
	case x < 0:
		return 0, 0
	case x > 0:
		return 0, 1
	}
	return x, x
}

// LogCDF returns log Φ(x). It falls like −x²/2 for x → −∞ and tends to 0 like
// −Φ(−x) for x → ∞.
func LogCDF(x float64) float64 {
	if x < 0 {
		return -x*x/2 - logSqrt2Pi - kernel.Log(InverseMills(x))
	}
	return math.Log1p(-CDF(-x))
}

// InverseMills returns φ(x)/Φ(x), the inverse Mills ratio of a normal variable
// truncated from above and the derivative of log Φ(x). It tends to −x for
// x → −∞ and to 0 for x → ∞.
func InverseMills(x float64) float64 {
	if x < 0 {
		t := -x
		return t + 1/(t+excessRatio(t)) // 1/J₀ = t + J₁/J₀
	}
	pdf, cdf := PDFCDF(x)
	return pdf / cdf
}
