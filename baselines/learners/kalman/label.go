package kalman

import "math"

// factorLabel sets the rows of dst, n−1 vectors of length n, to those of Aᵀ with
//
//	AAᵀ = diag(p) − ppᵀ,
//
// the covariance of a one-hot label with probabilities p. Row k is the contrast
// of class k with the classes after it, ρ_k = Σ_{i>k} p_i their probability:
//
//	a_k = √(p_k ρ_k/(p_k + ρ_k)) (e_k − Σ_{i>k} (p_i/ρ_k) e_i)
//
// (Tanabe and Sagae, "An exact Cholesky decomposition and the generalized inverse
// of the variance–covariance matrix of the multinomial distribution", Journal of
// the Royal Statistical Society B 1992). Nothing cancels. Where class k or all
// after it have lost their probability to underflow, the row is zero.
func factorLabel(dst [][]float64, p []float64) {
	after := p[len(p)-1]
	for k := len(dst) - 1; k >= 0; k-- {
		a := dst[k]
		clear(a)
		both := p[k] + after
		// The roots one by one: the product of two small numbers underflows.
		if s := math.Sqrt(p[k]) * math.Sqrt(after/both); s > 0 {
			a[k] = s
			for i := k + 1; i < len(p); i++ {
				a[i] = -s * (p[i] / after)
			}
		}
		after = both
	}
}
