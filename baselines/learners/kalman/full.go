package kalman

import (
	"math"

	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

// full is the covariance of all weights, by a square root S, P = SSᵀ, row by row.
type full struct {
	root        []float64
	next        []float64 // of addNoise, with factor
	factor      linalg.Cholesky
	rows, white [][]float64 // of the jacobian, and these times the root
	steps       reflections
}

func newFull(variance []float64, classes int) *full {
	n := len(variance)
	r := &full{
		root: make([]float64, n*n), next: make([]float64, n*n),
		rows: vectors(classes, n), white: vectors(classes, n), steps: newReflections(classes - 1),
	}
	for i, v := range variance {
		r.row(i)[i] = math.Sqrt(v)
	}
	return r
}

// row returns row i of the root.
func (r *full) row(i int) []float64 {
	n := len(r.rows[0])
	return r.root[i*n : (i+1)*n]
}

// whiten sets white_k to Sᵀh_k for the rows h of the jacobian.
func (r *full) whiten(j *jacobian) {
	j.expand(r.rows)
	for _, f := range r.white {
		clear(f)
	}
	// All vectors in one sweep, as it is the root that does not fit the cache.
	for i := range r.rows[0] {
		s := r.row(i)
		for k, f := range r.white {
			if h := r.rows[k][i]; h != 0 { // that of a unit that is off is
				kernel.AddScaled(f, h, s)
			}
		}
	}
}

func (r *full) variances(dst []float64, j *jacobian) {
	r.whiten(j)
	for k, f := range r.white {
		dst[k] = kernel.Dot(f, f)
	}
}

func (r *full) step(mean []float64, j *jacobian) bool {
	if r.whiten(j); !r.steps.set(r.white) {
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

// addNoise adds variances to the diagonal of P, and takes the Cholesky factor of the sum for
// the new root. It reports whether the sum is positive definite, to rounding error; else S
// stays as it was.
func (r *full) addNoise(variance []float64) bool {
	p, n := r.next, len(variance)
	for i, v := range variance {
		for j := range i {
			p[i*n+j], p[j*n+i] = kernel.Dot(r.row(i), r.row(j)), 0
		}
		p[i*n+i] = kernel.Dot(r.row(i), r.row(i)) + v
	}
	if !r.factor.FactorizeLower(p, n) {
		return false
	}
	r.root, r.next = p, r.root
	return true
}
