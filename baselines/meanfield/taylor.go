package meanfield

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/core/softmax"
)

// Taylor replaces the softmax by its second-order Taylor polynomial at the mean
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
type Taylor struct{ linearised }

// Moments implements [softmax.Approximation].
func (t Taylor) Moments(dst *softmax.Moments, mean, variance []float64) {
	checkLogits(len(dst.P), mean, variance)
	cov := mat.NewSymDense(len(mean), nil)
	unit := t.scaledCov(cov, mean, variance)

	p := newPoint(mean)
	secondOrderMean(dst.P, p, variance)
	setPairs(dst.E, func(i, j int) float64 {
		return (cov.At(i, j) + (dst.P[i]/unit)*(dst.P[j]/unit)) * unit * unit
	})
}

// Cov implements [Covariances].
func (t Taylor) Cov(dst *mat.SymDense, mean, variance []float64) {
	checkLogits(dst.SymmetricDim(), mean, variance)
	unit := t.scaledCov(dst, mean, variance)
	for i := range mean {
		for j := i; j < len(mean); j++ {
			dst.SetSym(i, j, dst.At(i, j)*unit*unit)
		}
	}
}

// secondOrderMean sets dst to p. With a_k = v_k s_k (1 − 2s_k),
// ½ tr(H_i V) = ½ s_i (v_i (1−s_i)(1−2s_i) − Σ_{k≠i} a_k); that of the most
// probable class follows from Σp = 1.
func secondOrderMean(dst []float64, p point, variance []float64) {
	var others, all float64
	for k, s := range p.s {
		a := variance[k] * s * (1 - 2*s)
		all += a
		if k != p.top {
			others += a
		}
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
}

// scaledCov sets dst to Σ_y/unit² and returns unit, the largest variance or one:
// the squares of variances may overflow, and differences of what overflowed
// would be NaN.
//
// With u_i = V(e_i − s), B = diag(s) − ssᵀ and q = Σ v_k s_k²,
//
//	tr(H_i V H_j V) = s_i s_j ((δ_ij v_i − v_i s_i − v_j s_j + q)²
//	                  − u_iᵀBu_i − u_jᵀBu_j + tr(BVBV))
//	u_iᵀBu_i        = s_i v_i²(1−2s_i) + Σ_k v_k² s_k³ − (s_i v_i − q)²
//	tr(BVBV)        = Σ_k v_k² s_k² (1−2s_k) + q².
func (Taylor) scaledCov(dst *mat.SymDense, mean, variance []float64) (unit float64) {
	n := len(mean)
	unit = max(1, floats.Max(variance))
	p := newPoint(mean)
	buf := make([]float64, 2*n)
	v, form := buf[:n], buf[n:]
	var q, cube, trace float64
	for k, s := range p.s {
		v[k] = variance[k] / unit
		q += v[k] * s * s
		cube += v[k] * v[k] * s * s * s
		trace += v[k] * v[k] * s * s * (1 - 2*s)
	}
	trace += q * q
	for i, s := range p.s {
		form[i] = s*v[i]*v[i]*(1-2*s) + cube - math.Pow(s*v[i]-q, 2)
	}
	entry := func(i, j int, own float64) float64 {
		si, sj := p.s[i], p.s[j]
		bracket := own - v[i]*si - v[j]*sj + q
		return si * sj * (bracket/unit + 0.5*(bracket*bracket-form[i]-form[j]+trace))
	}
	for i := range n {
		dst.SetSym(i, i, entry(i, i, v[i]))
		for j := i + 1; j < n; j++ {
			dst.SetSym(i, j, entry(i, j, 0))
		}
	}
	p.closeRows(dst)
	return unit
}
