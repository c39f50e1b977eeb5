package meanfield

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/learners/mlp"
)

// softmaxOf returns the softmax of logits.
func softmaxOf(z []float64) []float64 {
	s := slices.Clone(z)
	mlp.Normalise(s)
	return s
}

// linear returns Σ_zy where the softmax is linear, V J with V = diag(v) and the
// Jacobian J_ij = s_i(δ_ij − s_j).
func linear(s, variance []float64) func(i, j int) float64 {
	return func(i, j int) float64 { return variance[i] * s[i] * (delta(i, j) - s[j]) }
}

// delta is Kronecker's.
func delta(i, j int) float64 {
	if i == j {
		return 1
	}
	return 0
}

// firstOrder is the plug-in softmax with the covariances of the delta method, the softmax replaced
// by its tangent at the mean logits (Oehlert 1992, "A note on the delta method"): with s =
// softmax(m), its Jacobian J = diag(s) − s sᵀ and V = diag(v),
//
//	p    = s
//	Σ_y  = J V J
//	Σ_zy = V J
//
// The entries of J V J are s_i s_j (δ_ij v_i − v_i s_i − v_j s_j + q) with q = Σ_k v_k s_k².
func firstOrder(mean, variance []float64) moments {
	s := softmaxOf(mean)
	var q float64
	for k, v := range variance {
		q += v * s[k] * s[k]
	}
	return moments{s, func(i, j int) float64 {
		return s[i] * s[j] * (delta(i, j)*variance[i] - variance[i]*s[i] - variance[j]*s[j] + q)
	}, linear(s, variance)}
}

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
// (Mathai and Provost 1992, "Quadratic forms in random variables"; Σ_zy has no second-order term, as
// odd central moments are zero). p leaves [0, 1] where v is large.
//
// With u_i = V(e_i − s), B = diag(s) − ssᵀ and q = Σ v_k s_k²,
//
//	tr(H_i V)       = s_i (v_i (1−2s_i) + 2q − Σ_k v_k s_k)
//	tr(H_i V H_j V) = s_i s_j ((δ_ij v_i − v_i s_i − v_j s_j + q)²
//	                  − u_iᵀBu_i − u_jᵀBu_j + tr(BVBV))
//	u_iᵀBu_i        = s_i v_i²(1−2s_i) + Σ_k v_k² s_k³ − (s_i v_i − q)²
//	tr(BVBV)        = Σ_k v_k² s_k² (1−2s_k) + q².
func taylor(mean, variance []float64) moments {
	s := softmaxOf(mean)
	p, form := make([]float64, len(s)), make([]float64, len(s))
	var q, average, cube, trace float64
	for k, v := range variance {
		average += v * s[k]
		q += v * s[k] * s[k]
		cube += v * v * s[k] * s[k] * s[k]
		trace += v * v * s[k] * s[k] * (1 - 2*s[k])
	}
	trace += q * q
	for i, v := range variance {
		p[i] = s[i] + 0.5*s[i]*(v*(1-2*s[i])+2*q-average)
		form[i] = s[i]*v*v*(1-2*s[i]) + cube - (s[i]*v-q)*(s[i]*v-q)
	}
	return moments{p, func(i, j int) float64 {
		bracket := delta(i, j)*variance[i] - variance[i]*s[i] - variance[j]*s[j] + q
		return s[i] * s[j] * (bracket + 0.5*(bracket*bracket-form[i]-form[j]+trace))
	}, linear(s, variance)}
}

// unscented is the unscented transform (Julier and Uhlmann 1997, "A new extension of the Kalman
// filter to nonlinear systems") without a point at the mean, the third-degree cubature rule
// (Arasaratnam and Haykin 2009, "Cubature Kalman filters"), with 2n points of weight w = 1/(2n):
//
//	z_±j = m ± √(n v_j) e_j        y = softmax(z)
//
//	p    = Σ w y
//	Σ_y  = Σ w (y − p)(y − p)ᵀ
//	Σ_zy = Σ w (z − m)(y − p)ᵀ
func unscented(mean, variance []float64) moments {
	n := len(mean)
	p, y := make([]float64, n), make([][]float64, 2*n) // of +j and −j
	step := make([]float64, n)
	for k := range y {
		j := k / 2
		step[j] = math.Sqrt(float64(n) * variance[j])
		y[k] = slices.Clone(mean)
		y[k][j] += step[j] * float64(1-2*(k%2))
		mlp.Normalise(y[k])
		floats.AddScaled(p, 1/float64(2*n), y[k])
	}
	cov := func(i, j int) (sum float64) {
		for _, y := range y {
			sum += (y[i] - p[i]) * (y[j] - p[j]) / float64(2*n)
		}
		return sum
	}
	return moments{p, cov, func(j, i int) float64 { return step[j] * (y[2*j][i] - y[2*j+1][i]) / float64(2*n) }}
}
