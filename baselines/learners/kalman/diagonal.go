package kalman

import (
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
)

// diagonal is the blocks of weights that are all independent.
type diagonal struct {
	variance []float64
	move     []float64 // of a neuron
}

func newDiagonal(variance []float64) *diagonal {
	return &diagonal{variance: slices.Clone(variance), move: make([]float64, len(variance))}
}

func (d *diagonal) spread(j *jacobian, a int) float64 {
	at := j.neurons[a]
	return kernel.Dot(d.variance[at.from:at.to], j.square[at.layer])
}

// update leaves, of a variance v, v (1 − (1−square) v y²/q), which is not below square·v.
func (d *diagonal) update(mean []float64, j *jacobian, a int, q, gain, square float64) {
	at, move := j.neurons[a], d.move[:len(mean)]
	floats.ScaleTo(move, gain, j.input[at.layer])
	kernel.Update(mean, d.variance[at.from:at.to], move, j.square[at.layer], 1, -(1-square)/q, square)
}

// bong is the Bayesian online natural gradient in one step, with a diagonal Gaussian, the
// linearised network and its Hessian (Jones, Chang and Murphy, NeurIPS 2024: "bong", "diag",
// "lin-hess"): of each weight with the variance v
//
//	1/ṽ = 1/v + (JᵀSJ)_ii,   μ̃ = μ + ṽ (Jᵀ(y − p))_i.
//
// It differs from the diagonal of the Kalman filter, which takes the gradient times the
// full P̃ and keeps the diagonal of that: here the precision keeps its diagonal, so that
// the variances are smaller and the weights move as if they were alone.
type bong struct{ *decoupled }

func (r bong) step(mean []float64, j *jacobian) bool {
	r.whiten(j)
	for _, f := range r.white {
		if !(kernel.Dot(f, f) <= largestSquare) {
			return false
		}
	}
	m := len(j.delta) - 1
	variance := r.blocks.(*diagonal).variance
	for a, at := range j.neurons {
		var hessian float64 // Σ_k δ_ka² = (JᵀSJ)_ii/y_i²
		for _, d := range j.delta[:m] {
			hessian += d[a] * d[a]
		}
		score := j.delta[m][a]
		if hessian == 0 && score == 0 {
			continue
		}
		v, mean := variance[at.from:at.to], mean[at.from:at.to]
		for i, y := range j.input[at.layer] {
			v[i] /= 1 + v[i]*(y*y)*hessian
			mean[i] += v[i] * y * score
		}
	}
	return true
}
