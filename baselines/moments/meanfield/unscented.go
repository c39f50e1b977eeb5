package meanfield

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
)

// unscented is the unscented transform (Julier and Uhlmann 1997, "A new
// extension of the Kalman filter to nonlinear systems") without a point at the mean,
// the third-degree cubature rule (Arasaratnam and Haykin 2009, "Cubature Kalman
// filters"), with 2n points of weight w = 1/(2n):
//
//	z_±j = m ± √(n v_j) e_j        y = softmax(z)
//
//	p    = Σ w y
//	Σ_y  = Σ w (y − p)(y − p)ᵀ
//	Σ_zy = Σ w (z − m)(y − p)ᵀ
//
// Σp = 1, and Σ_y has zero row sums.
func unscented(mean, variance []float64) moments {
	s := sigma(mean, variance)
	p := floats.AddTo(make([]float64, len(mean)), s.s, s.shift)
	return moments{p, s.cov(), func(j, i int) float64 { return s.cross[j] * s.direction(j, i) }}
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

func sigma(mean, variance []float64) *sigmaPoints {
	n := len(mean)
	c := float64(n)
	s := &sigmaPoints{
		point: newPoint(mean), others: slices.Clone(mean),
		shift: make([]float64, n), square: make([]float64, n), cross: make([]float64, n),
	}
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
	x := kernel.Exp(logS+logRest+d) * half * half
	grown := 1 / (1 + 1/x)
	sum = (1 - 2*s.s[j]) * grown
	diff = grown * (2 - half) / half
	if j != s.top {
		rest := 1 - s.s[j]
		sum /= rest
		diff /= rest
	}
	return sum, diff
}

// cov returns the entries of Σ_j square_j g_j g_jᵀ − (p − s)(p − s)ᵀ, which is Σ_y
// after expanding y − p = a g − (p − s).
func (s *sigmaPoints) cov() func(i, k int) float64 {
	top := s.top
	var total float64
	for j, b := range s.square {
		if j != top {
			total += b
		}
	}
	return func(i, k int) float64 {
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
		return sum - s.shift[i]*s.shift[k]
	}
}
