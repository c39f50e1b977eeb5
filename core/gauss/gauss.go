// Package gauss is the standard normal distribution, including its tails: density φ, distribution function Φ,
// log Φ, and the first two moments of a truncated normal variable. The relative error of every function is a
// few 1e-15 wherever the value is a normal float64; a value that underflows is 0. Infinite arguments give the
// limit, NaN gives NaN. Concurrent use is safe.
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

// PDFCDF returns φ(x) and Φ(x) at the cost of one exponential.
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

// Quantile returns Φ⁻¹(p), 0 < p < 1, with an absolute error below 1e-9, by a step of Halley's method from a
// rational approximation (Hastings 1955, formula 26.2.23 of Abramowitz and Stegun).
func Quantile(p float64) float64 {
	q := min(p, 1-p)
	t := math.Sqrt(-2 * kernel.Log(q))
	x := (2.515517+t*(0.802853+t*0.010328))/(1+t*(1.432788+t*(0.189269+t*0.001308))) - t
	pdf, cdf := PDFCDF(x)
	d := (cdf - q) / pdf
	return math.Copysign(x-d/(1+x*d/2), p-0.5)
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

// TruncatedVar returns the variance of a standard normal variable truncated from above at x, Var[Z | Z ≤ x] =
// 1 − x h − h² with h = φ(x)/Φ(x) = −E[Z | Z ≤ x]. For x = −t < 0 the terms cancel. There it is (ρ (t+ρ) −
// 1)/ (t+ρ)² with ρ = J₂/J₁, 1/(t+ρ) = J₁/J₀, where J_k(t) are the repeated integrals of the tail.
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
	const maxTail = 1e9 // beyond it the ratio is 2/t to full precision
	if t > maxTail {
		return 2 / t
	}
	p, q := kernel.Tail(t)
	return p / q
}
