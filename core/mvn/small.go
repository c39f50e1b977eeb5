package mvn

import (
	"math"

	"closedform/core/gauss"
	"closedform/internal/kernel"
)

// far is an argument from which on Φ(−x) underflows.
const far = 38.6

// bivariate returns P(X₁ ≤ h, X₂ ≤ k) for standard normal variables with correlation r, −1 ≤ r
// ≤ 1, with an absolute error below 1e-15 (Drezner and Wesolowsky 1990, as refined by Genz 2004).
//
// For |r| < 0.95 it integrates Plackett's identity ∂P/∂r = φ₂(h, k; r) from the independent case,
//
//	P = Φ(h)Φ(k) + (1/2π) ∫₀^{asin r} exp(−(h² + k² − 2hk sin θ)/(2cos²θ)) dθ,
//
// in the variable τ = tan(θ/2). Otherwise it starts from |r| = 1; see [bivariateNearOne].
func bivariate(h, k, r float64) float64 {
	switch {
	case h < -far || k < -far:
		return 0
	case h > far:
		return gauss.CDF(k)
	case k > far:
		return gauss.CDF(h)
	case math.Abs(r) >= 0.95:
		return bivariateNearOne(h, k, r)
	}
	hk, hs := h*k, 0.5*(h*h+k*k)
	end := r / (1 + math.Sqrt((1-r)*(1+r)))
	var sum float64
	for _, node := range nodes(math.Abs(end)) {
		tau := end * node.x
		a, b := 1+tau*tau, (1-tau)*(1+tau)
		sum += node.w * (kernel.Exp((2*tau*hk-hs*a)*a/(b*b)) / a)
	}
	return max(0, gauss.CDF(h)*gauss.CDF(k)+end*sum/math.Pi)
}

// bivariateNearOne returns P(X₁ ≤ h, X₂ ≤ k) for finite limits and 0 < |r| ≤ 1. For r > 0 and a = √(1−r²)
//
//	P = Φ(min(h, k)) − (1/2π) ∫₀^a exp(−b²/(2x²) − hk/(1+√(1−x²))) / √(1−x²) dx,
//
// b = |h−k|. The factor exp(−b²/(2x²)) is integrated exactly against the Taylor polynomial
// exp(−hk/2)(1 + cx² + cdx⁴) of the rest, and the remainder numerically. For r < 0,
// P(X₁ ≤ h, X₂ ≤ k) = Φ(h) − P(X₁ ≤ h, −X₂ ≤ −k).
func bivariateNearOne(h, k, r float64) float64 {
	k = math.Copysign(1, r) * k
	var sum float64
	if as := (1 - r) * (1 + r); as > 0 {
		hk, a, b := h*k, math.Sqrt(as), math.Abs(h-k)
		bs, c, d := b*b, (4-hk)/8, (12-hk)/16
		// Underflow of these exponentials is harmless, 0·∞ must not arise.
		if e := -0.5 * (bs/as + hk); e > -100 {
			sum = a * kernel.Exp(e) * (1 - c*(bs-as)*(1-d*bs/5)/3 + c*d*as*as/5)
		}
		if -hk < 100 {
			sum -= kernel.Exp(-0.5*hk) * math.Sqrt(2*math.Pi) * gauss.CDF(-b/a) * b * (1 - c*bs*(1-d*bs/5)/3)
		}
		for _, node := range legendre[16] {
			xs := a * node.x * (a * node.x)
			if e := -0.5 * (bs/xs + hk); e >= -40 {
				root := math.Sqrt(1 - xs)
				rest := kernel.Exp(-0.5*hk*xs/((1+root)*(1+root)))/root - (1 + c*xs*(1+d*xs))
				sum += a * node.w * (kernel.Exp(e) * rest)
			}
		}
		sum /= 2 * math.Pi
	}
	if r > 0 {
		return max(0, gauss.CDF(min(h, k))-sum)
	}
	if k = min(h, k); k > 0 { // no cancellation in the upper tail
		h, k = -k, -h
	}
	return max(0, gauss.CDF(h)-gauss.CDF(k)+sum)
}
