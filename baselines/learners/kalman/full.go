package kalman

import "closedform/internal/kernel"

// full is the covariance of all weights.
type full struct {
	*root
	rows, white [][]float64 // of the jacobian, and these times the root
	steps       reflections
}

func newFull(variance []float64, classes int) *full {
	w := len(variance)
	return &full{newRoot(variance), vectors(classes, w), vectors(classes, w), newReflections(classes - 1)}
}

func (r *full) variances(dst []float64, j *jacobian) {
	j.expand(r.rows)
	r.whiten(r.white, r.rows)
	for k, f := range r.white {
		dst[k] = kernel.Dot(f, f)
	}
}

func (r *full) step(mean []float64, j *jacobian) bool {
	j.expand(r.rows)
	r.whiten(r.white, r.rows)
	if !r.steps.set(r.white) {
		return false
	}
	last := r.white[len(r.white)-1]
	for i := range mean {
		s := r.row(i)
		for k, beta := range r.steps.beta {
			f := r.white[k]
			kernel.AddScaled(s, -beta*kernel.Dot(s, f), f)
		}
		mean[i] += kernel.Dot(s, last)
	}
	return true
}
