package meanfield

// delta is the plug-in softmax with the covariances of the delta method, the
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
//
// The entries of J V J are s_i s_j (δ_ij v_i − v_i s_i − v_j s_j + q) with
// q = Σ_k v_k s_k².
func delta(mean, variance []float64) moments {
	p := newPoint(mean)
	var q float64
	for k, v := range variance {
		q += v * p.s[k] * p.s[k]
	}
	cov := p.closed(func(i, j int) float64 {
		si, sj := p.s[i], p.s[j]
		if i == j {
			return si * si * (variance[i]*(1-2*si) + q)
		}
		return si * sj * (q - variance[i]*si - variance[j]*sj)
	})
	return moments{p.s, cov.At, p.linear(variance)}
}
