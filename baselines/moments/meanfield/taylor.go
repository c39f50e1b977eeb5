package meanfield

import (
	"gonum.org/v1/gonum/floats"
)

// taylor replaces the softmax by its second-order Taylor polynomial at the mean
// logits and gives the exact moments of that polynomial. With s = softmax(m), J
// its Jacobian, V = diag(v) and H_i the Hessian of s_i,
//
//	p_i    = s_i + ½ tr(H_i V)
//	Σ_y,ij = (J V J)_ij + ½ tr(H_i V H_j V)
//	Σ_zy   = V J
//
//	(H_i)_kl = s_i ((δ_ik − s_k)(δ_il − s_l) − s_k(δ_kl − s_l))
//
// (Mathai and Provost 1992, "Quadratic forms in random variables"; Σ_zy has no
// second-order term, as odd central moments are zero). Σ_y is positive semi-definite,
// with zero row sums. The error of p is of order v². Σp = 1, but p leaves [0, 1] where
// v is large, and p and Σ_y then grow like v and v²: entries that overflow are ±Inf.
//
// With u_i = V(e_i − s), B = diag(s) − ssᵀ and q = Σ v_k s_k²,
//
//	tr(H_i V H_j V) = s_i s_j ((δ_ij v_i − v_i s_i − v_j s_j + q)²
//	                  − u_iᵀBu_i − u_jᵀBu_j + tr(BVBV))
//	u_iᵀBu_i        = s_i v_i²(1−2s_i) + Σ_k v_k² s_k³ − (s_i v_i − q)²
//	tr(BVBV)        = Σ_k v_k² s_k² (1−2s_k) + q².
func taylor(mean, variance []float64) moments {
	p := newPoint(mean)
	// Variances are in units of the largest, or of one: their squares may overflow, and
	// differences of what overflowed would be NaN.
	unit := max(1, floats.Max(variance))
	v, form := make([]float64, len(mean)), make([]float64, len(mean))
	var q, cube, trace float64
	for k, s := range p.s {
		v[k] = variance[k] / unit
		q += v[k] * s * s
		cube += v[k] * v[k] * s * s * s
		trace += v[k] * v[k] * s * s * (1 - 2*s)
	}
	trace += q * q
	for i, s := range p.s {
		d := s*v[i] - q
		form[i] = s*v[i]*v[i]*(1-2*s) + cube - d*d
	}
	cov := p.closed(func(i, j int) float64 {
		var own float64
		if i == j {
			own = v[i]
		}
		si, sj := p.s[i], p.s[j]
		bracket := own - v[i]*si - v[j]*sj + q
		return si * sj * (bracket/unit + 0.5*(bracket*bracket-form[i]-form[j]+trace))
	})
	cov.ScaleSym(unit, cov)
	cov.ScaleSym(unit, cov)
	return moments{p.secondOrder(variance), cov.At, p.linear(variance)}
}

// secondOrder returns p. With a_k = v_k s_k (1 − 2s_k),
// ½ tr(H_i V) = ½ s_i (v_i (1−s_i)(1−2s_i) − Σ_{k≠i} a_k); that of the most
// probable class follows from Σp = 1.
func (p point) secondOrder(variance []float64) []float64 {
	dst := make([]float64, len(p.s))
	var all float64
	for k, s := range p.s {
		all += variance[k] * s * (1 - 2*s)
	}
	var moved float64
	for i, s := range p.s {
		if i == p.top {
			continue
		}
		v := variance[i]
		g := 0.5 * s * (v*(1-s)*(1-2*s) - (all - v*s*(1-2*s)))
		dst[i] = s + g
		moved += g
	}
	dst[p.top] = p.s[p.top] - moved
	return dst
}
