package kalman

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
)

// diagonal has a variance for each weight. With q = yᵀPy that of the pre-activation of
// neuron a and δ the derivative by it, the vectors
//
//	f_ka = √q_a δ_ka
//
// have the products f_k·f_l = h_k P h_lᵀ. So a step is one of the filter over the
// pre-activations, independent, with the deviations √q: it makes q into q·square, and moves
// the pre-activation by √q·move. A neuron follows by its linear regression Py/q on it.
type diagonal struct {
	reflections
	variance []float64
	sd       []float64 // √q

	// Of one step, with m reflections: the products f_l·f_k of the vectors that
	// make them, and of the last vector, for l < k at k(k−1)/2 + l; how much of each a
	// pre-activation takes; and how the means of a neuron move.
	products, take, move []float64
}

func newDiagonal(variance []float64, neurons, classes int) *diagonal {
	m := classes - 1
	return &diagonal{
		reflections: newReflections(classes, neurons), variance: slices.Clone(variance), sd: make([]float64, neurons),
		products: make([]float64, (m+1)*m/2), take: make([]float64, m), move: make([]float64, len(variance)),
	}
}

// whiten sets the vectors of the rows of the jacobian.
func (r *diagonal) whiten(j *jacobian) {
	for a, at := range j.neurons {
		r.sd[a] = math.Sqrt(kernel.Dot(r.variance[at.from:at.to], j.square[at.layer]))
	}
	for k, f := range r.white {
		floats.MulTo(f, r.sd, j.delta[k])
	}
}

func (r *diagonal) variances(dst []float64, j *jacobian) {
	r.whiten(j)
	r.squares(dst)
}

// step follows row a of the product T of the reflections, which starts as the
// unit vector e_a and becomes
//
//	u_k = u_{k−1} − c_k f_k,   c_k = β_k a_k,   a_k = u_{k−1}·f_k = f_ka − Σ_{l<k} c_l f_l·f_k
//	|u_k|² = |u_{k−1}|² − a_k²/(1+s_k),
//
// without forming it: square is |u|², and move is u·b for the last vector b. Of a variance v
// it leaves v (1 − (1−square) v y²/q), which is not below square·v.
func (r *diagonal) step(mean []float64, j *jacobian) bool {
	if r.whiten(j); !r.set() {
		return false
	}
	m := len(r.beta)
	for k, f := range r.white {
		for l := range k {
			r.products[k*(k-1)/2+l] = kernel.Dot(r.white[l], f)
		}
	}
	for n, at := range j.neurons {
		square := 1.0
		rest := r.products
		for k, beta := range r.beta {
			a := r.white[k][n]
			for l, c := range r.take[:k] {
				a -= c * rest[l]
			}
			rest = rest[k:]
			r.take[k] = beta * a
			// Never below what the inequality of Cauchy and Schwarz leaves, but for rounding.
			square = max(square-a*a/r.shrink[k], square/r.shrink[k])
		}
		move := r.white[m][n]
		for l, c := range r.take {
			move -= c * rest[l]
		}
		if sd := r.sd[n]; sd > 0 {
			d := floats.ScaleTo(r.move[:at.to-at.from], move/sd, j.input[at.layer])
			kernel.Update(mean[at.from:at.to], r.variance[at.from:at.to], d, j.square[at.layer], 1, -(1-square)/(sd*sd), square)
		}
	}
	return true
}

// bong is the Bayesian online natural gradient in one step, with a diagonal Gaussian, the
// linearised network and its Hessian (Jones, Chang and Murphy, NeurIPS 2024: "bong", "diag",
// "lin-hess"): of each weight with the variance v
//
//	1/ṽ = 1/v + (JᵀSJ)_ii,   μ̃ = μ + ṽ (Jᵀ(y − p))_i.
//
// The Kalman filter with Diagonal keeps the diagonal of P̃, not of its inverse: its
// variances are larger, and its step of the mean has the covariances of the full P̃.
type bong struct{ *diagonal }

func (r bong) step(mean []float64, j *jacobian) bool {
	if r.whiten(j); !r.small() {
		return false
	}
	m := len(j.delta) - 1
	for a, at := range j.neurons {
		var hessian float64 // Σ_k δ_ka² = (JᵀSJ)_ii/y_i²
		for _, d := range j.delta[:m] {
			hessian += d[a] * d[a]
		}
		score := j.delta[m][a]
		if hessian == 0 && score == 0 {
			continue
		}
		v, mean := r.variance[at.from:at.to], mean[at.from:at.to]
		for i, y := range j.input[at.layer] {
			v[i] /= 1 + v[i]*(y*y)*hessian
			mean[i] += v[i] * y * score
		}
	}
	return true
}
