package meanfield

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"closedform/core/softmax"
)

// Unscented is the unscented transform (Julier and Uhlmann 1997, "A new
// extension of the Kalman filter to nonlinear systems"; in the scaled form of
// Wan and van der Merwe 2000, "The unscented Kalman filter for nonlinear
// estimation"). The softmax is evaluated at 2n+1 points, with c = α²(n+κ):
//
//	z_0 = m, z_±j = m ± √(c v_j) e_j        y = softmax(z)
//	w_0 = 1 − n/c, w_±j = 1/(2c)
//
//	p    = Σ w y
//	Σ_y  = Σ w (y − p)(y − p)ᵀ + (1 − α² + β)(y_0 − p)(y_0 − p)ᵀ
//	Σ_zy = Σ w (z − m)(y − p)ᵀ
//
// p is exact for polynomials of degree three. Σp = 1, and Σ_y has zero row sums,
// but p may leave [0, 1] if w_0 < 0, and Σ_y may be indefinite if the weight of
// y_0 in it, w_0 + 1 − α² + β, is negative.
// It does not depend on the origin of the logits.
//
// Alpha = 0 stands for α = 1. The zero value, α = 1, β = κ = 0, has w_0 = 0: the
// third-degree cubature rule (Arasaratnam and Haykin 2009). Other usual choices
// are α = 1, β = 0, κ = 3 − n (Julier and Uhlmann, matching fourth moments of one
// logit) and α = 1e-3, β = 2, κ = 0 (Wan and van der Merwe), a difference
// quotient that is little else than second-order [Taylor] in the mean.
type Unscented struct {
	Alpha, Beta, Kappa float64
}

// Moments implements [softmax.Approximation]. It also panics unless α and n+κ are
// positive and all parameters finite, as do Cov and Cross.
func (u Unscented) Moments(dst *softmax.Moments, mean, variance []float64) {
	checkMoments(dst, mean, variance)
	s := u.points(mean, variance)
	for i, y := range s.s {
		dst.P[i] = y + s.shift[i]
	}
	cov := mat.NewSymDense(len(mean), nil)
	s.cov(cov)
	setPairs(dst.E, func(i, j int) float64 { return cov.At(i, j) + dst.P[i]*dst.P[j] })
}

// Cov implements [Covariances].
func (u Unscented) Cov(dst *mat.SymDense, mean, variance []float64) {
	checkCov(dst, mean, variance)
	s := u.points(mean, variance)
	s.cov(dst)
}

// Cross implements [Covariances].
func (u Unscented) Cross(dst *mat.Dense, mean, variance []float64) {
	checkCross(dst, mean, variance)
	s := u.points(mean, variance)
	for j := range mean {
		for i := range mean {
			dst.Set(j, i, s.cross[j]*s.direction(j, i))
		}
	}
}

// sigmaPoints holds the sums over the sigma points. A step of z_j alone leaves
// the ratios of all other probabilities as they are, so that y_±j − s, with
// s = softmax(m), is a multiple a_±j of one direction, g_j = e_j − h_j with h_j
// the softmax without class j. All sums are of order n², not n³.
type sigmaPoints struct {
	point
	others []float64 // softmax without the most probable class, h_top
	shift  []float64 // p − s
	square []float64 // Σ_± w a_±j²
	cross  []float64 // Σ_± w (z_±j − m)_j a_±j
	outer  float64   // β − α²
}

// direction returns (g_j)_i. For all but the most probable class g_j is, up to a
// factor 1/(1−s_j) that the amplitudes take, the shorter e_j − s.
func (s *sigmaPoints) direction(j, i int) float64 {
	switch {
	case i == j && j == s.top:
		return 1
	case j == s.top:
		return -s.others[i]
	case i == j:
		return 1 - s.s[i]
	}
	return -s.s[i]
}

func (u Unscented) points(mean, variance []float64) *sigmaPoints {
	n := len(mean)
	alpha := u.Alpha
	if alpha == 0 {
		alpha = 1
	}
	c := alpha * alpha * (float64(n) + u.Kappa)
	if !(alpha > 0 && c > 0) || math.IsInf(c, 0) || math.IsNaN(u.Beta) || math.IsInf(u.Beta, 0) {
		panic(fmt.Sprintf("meanfield: unscented transform with α = %g, β = %g, κ = %g for %d classes; need α > 0, n+κ > 0, all finite", alpha, u.Beta, u.Kappa, n))
	}
	buf := make([]float64, 4*n)
	next := func() []float64 {
		s := buf[:n:n]
		buf = buf[n:]
		return s
	}
	s := &sigmaPoints{
		point: newPoint(mean), others: next(), shift: next(), square: next(), cross: next(),
		outer: u.Beta - alpha*alpha,
	}
	copy(s.others, mean)
	s.others[s.top] = math.Inf(-1)
	normalise(s.others)

	// The most probable class first: with it out of the way, log Σ of the others
	// is that of all where it needs no care.
	all, withoutTop := logSum(mean, -1), logSum(mean, s.top)
	for j, v := range variance {
		logRest := withoutTop - all
		if j != s.top {
			logRest = math.Log1p(-s.s[j])
		}
		sum, diff := s.amplitudes(j, mean[j]-all, logRest, math.Sqrt(c)*math.Sqrt(v))
		s.square[j] = 0.5 * (sum*sum + diff*diff) / (2 * c)
		s.cross[j] = 0.5 * diff / math.Sqrt(c) * math.Sqrt(v)
		for i := range s.shift {
			s.shift[i] += 0.5 * sum / c * s.direction(j, i)
		}
	}
	return s
}

// amplitudes returns a_+ + a_− and a_+ − a_− for steps ±d of logit j. With
// s = s_j, r = 1 − s and x = 4 s r sinh²(d/2), the probability of class j moves
// from s by s r (e^{±d} − 1)/(r + s e^{±d}), whence
//
//	sum  = (1 − 2s) x/(1+x)
//	diff = coth(d/2) x/(1+x)
//
// for g_j = e_j − h_j, and 1/r times as much for e_j − s.
func (s *sigmaPoints) amplitudes(j int, logS, logRest, d float64) (sum, diff float64) {
	if d == 0 {
		return 0, 0
	}
	half := -math.Expm1(-d) // 1 − e^{−d}
	x := math.Exp(logS+logRest+d) * half * half
	grown := 1 / (1 + 1/x)
	sum = (1 - 2*s.s[j]) * grown
	diff = grown / math.Tanh(0.5*d)
	if j != s.top {
		rest := 1 - s.s[j]
		sum /= rest
		diff /= rest
	}
	return sum, diff
}

// cov sets dst to Σ_j square_j g_j g_jᵀ + (β − α²)(p − s)(p − s)ᵀ, which is Σ_y
// after expanding y − p = a g − (p − s).
func (s *sigmaPoints) cov(dst *mat.SymDense) {
	n, top := len(s.s), s.top
	var total float64
	for j, b := range s.square {
		if j != top {
			total += b
		}
	}
	for i := range n {
		for k := i; k < n; k++ {
			// Over j ≠ top: Σ b_j (δ_ij − s_i)(δ_kj − s_k).
			sum := total * s.s[i] * s.s[k]
			if i != top {
				sum -= s.square[i] * s.s[k]
				if i == k {
					sum += s.square[i]
				}
			}
			if k != top {
				sum -= s.square[k] * s.s[i]
			}
			sum += s.square[top] * s.direction(top, i) * s.direction(top, k)
			dst.SetSym(i, k, sum+s.outer*s.shift[i]*s.shift[k])
		}
	}
}
