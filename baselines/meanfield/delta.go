package meanfield

import (
	"gonum.org/v1/gonum/mat"

	"closedform/core/softmax"
)

// Delta is the plug-in softmax with the covariances of the delta method, the
// softmax replaced by its tangent at the mean logits (Oehlert 1992, "A note on
// the delta method"): with s = softmax(m), its Jacobian J = diag(s) − s sᵀ and
// V = diag(v),
//
//	p    = s
//	Σ_y  = J V J
//	Σ_zy = V J
//
// The error is of second order in the standard deviations. Σp = 1, and Σ_y is
// positive semi-definite with zero row sums, but grows without bound with v.
type Delta struct{ linearised }

// Moments implements [softmax.Approximation].
func (d Delta) Moments(dst *softmax.Moments, mean, variance []float64) {
	checkLogits(len(dst.P), mean, variance)
	copy(dst.P, newPoint(mean).s)
	cov := mat.NewSymDense(len(mean), nil)
	d.Cov(cov, mean, variance)
	setSecond(dst, cov)
}

// Cov implements [Covariances]. The entries of J V J are
// s_i s_j (δ_ij v_i − v_i s_i − v_j s_j + q) with q = Σ_k v_k s_k².
func (Delta) Cov(dst *mat.SymDense, mean, variance []float64) {
	checkLogits(dst.SymmetricDim(), mean, variance)
	p := newPoint(mean)
	var q float64
	for k, v := range variance {
		q += v * p.s[k] * p.s[k]
	}
	for i, si := range p.s {
		dst.SetSym(i, i, si*si*(variance[i]*(1-2*si)+q))
		for j := i + 1; j < len(p.s); j++ {
			sj := p.s[j]
			dst.SetSym(i, j, si*sj*(q-variance[i]*si-variance[j]*sj))
		}
	}
	p.closeRows(dst)
}
