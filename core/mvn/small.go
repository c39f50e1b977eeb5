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

// bivariateNearOne returns P(X₁ ≤ h, X₂ ≤ k) for finite limits and 0 < |r| ≤ 1. For r > 0 and a
// = √(1−r²)
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

// trivariate returns P(X₁ ≤ x₁, X₂ ≤ x₂, X₃ ≤ x₃) for standard normal variables with correlations r12, r13,
// r23. It integrates Plackett's identity ∂P/∂ρ_ij = φ₂(x_i, x_j; ρ_ij) Φ(x_k given both) along the line
// P(s) for the correlations s·r12, s·r13, r23, 0 ≤ s ≤ 1, from P(0) = Φ(x₁) P(X₂ ≤ x₂, X₃ ≤ x₃) (Plackett
// 1954; Genz 2004 takes another path). With R the multiple correlation of X₁ on the other two and
// s = sin ψ / R, the determinant on the way is (1−r23²) cos²ψ, and its square root has no singularity.
// The absolute error is below 1e-14.
//
// Where rounding has made the matrix indefinite r13 moves to the next value that makes a correlation
// matrix; moved bounds what that changes.
func trivariate(x1, x2, x3, r12, r13, r23 float64) (value, moved float64) {
	// The pair with the largest correlation keeps it all the time.
	if math.Abs(r12) > math.Abs(r23) {
		x1, x3, r12, r23 = x3, x1, r23, r12
	}
	if math.Abs(r13) > math.Abs(r23) {
		x1, x2, r13, r23 = x2, x1, r23, r13
	}
	switch {
	case x1 < -far || x2 < -far || x3 < -far:
		return 0, 0
	case x1 > far:
		return bivariate(x2, x3, r23), 0
	case x2 > far:
		return bivariate(x1, x3, r13), 0
	case x3 > far:
		return bivariate(x1, x2, r12), 0
	case math.Abs(r12)+math.Abs(r13) < 1e-100: // whose squares underflow
		return gauss.CDF(x1) * bivariate(x2, x3, r23), 0
	}
	det := determinant(r12, r13, r23)
	if det < 0 {
		given, half := r13, math.Sqrt((1-r12)*(1+r12)*(1-r23)*(1+r23))
		r13 = max(r12*r23-half, min(r12*r23+half, r13))
		det, moved = 0, plackettBound(given, r13)
	}
	switch r23 {
	case 1: // X₃ = X₂
		return bivariate(x1, min(x2, x3), r12), moved
	case -1: // X₃ = −X₂
		return max(0, bivariate(x1, x2, r12)-bivariate(x1, -x3, r12)), moved
	}
	l := newLine(x1, x2, x3, r12, r13, r23, det)
	return max(0, gauss.CDF(x1)*bivariate(x2, x3, r23)+l.integral()), moved
}

// determinant returns 1 − r12² − r13² − r23² + 2·r12·r13·r23, or 0 if it is 0 but for rounding.
func determinant(r12, r13, r23 float64) float64 {
	plain := (1 - math.Abs(r23)) * (1 + math.Abs(r23)) * (1 - math.Abs(r12)) * (1 + math.Abs(r12))
	cross := math.FMA(-r12, r23, r13)
	det := math.FMA(-cross, cross, plain)
	if math.Abs(det) < 2*epsilon*(plain+2*math.Abs(cross)*(math.Abs(r12)+math.Abs(r13))) {
		return 0
	}
	return det
}

// line is the path of [trivariate], with differences that cancel where correlations are near ±1.
type line struct {
	x1, x2, x3          float64
	gap12, gap13, gap23 float64 // x₁ − sign(r12)x₂, x₁ − sign(r13)x₃, x₃ − sign(r23)x₂
	k2, k3              float64 // r12/R, r13/R
	lack2, lack3        float64 // 1 − k2², 1 − k3²
	sign, e, w          float64 // sign(r23), sign(r23) − r23, (r13 − sign(r23)r12)/R
	root                float64 // √(1 − r23²)
	end                 float64 // tan(ψ/2) at s = 1
}

// newLine returns the path for a matrix with the determinant det.
func newLine(x1, x2, x3, r12, r13, r23, det float64) line {
	sign := math.Copysign(1, r23)
	e := sign - r23
	diff := r13 - sign*r12
	q := diff*diff + 2*r12*r13*e // R²(1 − r23²)
	whole := det + q             // 1 − r23²
	r := math.Sqrt(q / whole)
	cross2, cross3 := math.FMA(-r13, r23, r12), math.FMA(-r12, r23, r13)
	return line{
		x1: x1, x2: x2, x3: x3,
		gap12: x1 - math.Copysign(1, r12)*x2, gap13: x1 - math.Copysign(1, r13)*x3, gap23: x3 - sign*x2,
		k2: r12 / r, k3: r13 / r,
		lack2: cross3 * cross3 / q, lack3: cross2 * cross2 / q,
		w: diff / r, e: e, sign: sign,
		root: math.Sqrt(whole),
		end:  r / (1 + math.Sqrt(det/whole)),
	}
}

// integral returns ∫ (dP/dτ) dτ. Pieces grow with the distance from τ = 1, near which the last factor may
// change fast.
func (l *line) integral() float64 {
	var sum float64
	end, gap, tol := l.end, 1-l.end, 2e-15
	if gap > 0.2 { // the better of two rules is better by orders of magnitude
		tol = 2e-13
	}
	for gap > 0 && gap < 0.05 {
		gap *= 8
		sum += integrate(l.derivative, 1-gap, end, tol)
		end = 1 - gap
	}
	return (sum + integrate(l.derivative, 0, end, tol)) / math.Pi
}

// derivative returns π dP/dτ at τ = tan(ψ/2), one term along r12 and one along r13.
func (l *line) derivative(tau float64) float64 {
	inv := 1 / (1 + tau*tau)
	sin, cos := 2*tau*inv, (1-tau)*(1+tau)*inv
	s2, c2 := sin*sin, cos*cos
	d2, d3 := c2+l.lack2*s2, c2+l.lack3*s2
	root2, root3 := math.Sqrt(d2), math.Sqrt(d3)
	var sum float64
	if l.k2 != 0 {
		sum += l.k2 / root2 * contribution(l.gap12, l.x2, l.k2*sin, d2,
			l.gap23*d2+l.x2*(l.e+s2*l.k2*l.w)-l.x1*sin*(l.w+l.k2*l.e), root2*l.root*cos)
	}
	if l.k3 != 0 {
		sum += l.k3 / root3 * contribution(l.gap13, l.x3, l.k3*sin, d3,
			-l.sign*l.gap23*d3+l.x3*(l.e-l.sign*s2*l.k3*l.w)+l.x1*sin*(l.sign*l.w-l.k3*l.e), root3*l.root*cos)
	}
	return sum * cos * inv
}

// contribution returns exp(−(x² − 2ρxy + y²)/(2(1−ρ²))) Φ(num/den), where gap = x − sign(ρ)y
// and rest = 1 − ρ².
func contribution(gap, y, rho, rest, num, den float64) float64 {
	z := gap + math.Copysign(rest/(1+math.Abs(rho)), rho)*y // x − ρy
	exponent := 0.5 * (z*z/rest + y*y)
	switch {
	case num >= far*den && exponent < 100:
		return kernel.Exp(-exponent)
	case num <= -far*den || !(exponent < 100): // below 1e-43
		return 0
	}
	return kernel.Exp(-exponent) * gauss.CDF(num/den)
}
