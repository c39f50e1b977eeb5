package meanfield

import (
	"fmt"
	"math"

	"closedform/core/softmax"
)

// Pairwise is the mean-field approximation of Lu, Ie and Sha (2020, "Mean-field
// approximation to Gaussian-softmax integral with application to uncertainty
// estimation", arXiv 2006.07584). It writes the softmax with pairwise sigmoids
// σ, replaces each by its mean, and that by MacKay's binary formula:
//
//	s_k = 1 / (2 − n + Σ_{i≠k} 1/σ(z_k − z_i))
//	p_k = 1 / (1 + Σ_{i≠k} exp(−(m_k − m_i)/T_ki)),   T_ki = √(1 + π/8 · c_ki)
//
//	Order 0   c_ki = v_k               z_i at its mean: p_k = softmax_k(m/T_k)
//	Order 1   c_ki = v_k + v_i         z_i and z_k independent
//	Order 2   c_ki = v_k + v_i − 2Cov(z_k, z_i)
//
// Logits are independent here, so that orders 1 and 2 are the same. For n = 2 they are
// MacKay's binary formula σ((m_1−m_2)/√(1+π/8(v_1+v_2))). Σp ≠ 1 beyond n = 2 (at
// order 0 even there).
type Pairwise struct {
	Order int // 0, 1 or 2

	noCov
	noCross
}

// Moments implements [softmax.Approximation]; E is NaN. It also panics unless
// Order is 0, 1 or 2.
func (p Pairwise) Moments(dst *softmax.Moments, mean, variance []float64) {
	if p.Order < 0 || p.Order > 2 {
		panic(fmt.Sprintf("meanfield: pairwise approximation of order %d; need 0, 1 or 2", p.Order))
	}
	checkLogits(len(dst.P), mean, variance)
	pairwiseMean(dst.P, mean, variance, probitSlope, p.Order > 0)
	setGaps(dst.E)
}

// pairwiseMean sets dst to p_k = 1/(1 + Σ_{i≠k} exp(−(m_k − m_i)/√(1 + a c_ki)))
// with c_ki = v_k, or v_k + v_i if both.
func pairwiseMean(dst, mean, variance []float64, a float64, both bool) {
	exponents := make([]float64, len(mean))
	for k, m := range mean {
		for i, other := range mean {
			c := variance[k]
			if both {
				c += variance[i]
			}
			exponents[i] = (other - m) / math.Sqrt(1+a*c) // zero for i = k
		}
		dst[k] = math.Exp(-logSum(exponents, -1))
	}
}
