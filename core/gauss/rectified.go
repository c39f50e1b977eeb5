package gauss

import "math"

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
	t := math.Abs(a)
	if !(t < underflow) {
		gap, prob = limits(a)
		return prob, gap, prob
	}
	pdf := density(t)
	p, q := tail(t)
	n := p + t*q
	d := q + t*n
	prob = pdf * (n / d)
	gap = pdf * (q / d)
	variance = gap * (p/q - gap)
	if a > 0 {
		variance += 1 - 2*prob
		prob = 1 - prob
	}
	return prob, gap, variance
}
