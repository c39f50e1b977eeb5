package kalman

import (
	"math"

	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

// root is a square root S of a covariance, P = SSᵀ, row by row.
type root struct {
	n    int
	s    []float64
	next []float64 // of addNoise
}

// newRoot returns the root of a diagonal covariance.
func newRoot(variance []float64) *root {
	n := len(variance)
	r := &root{n: n, s: make([]float64, n*n)}
	for i, v := range variance {
		r.s[i*n+i] = math.Sqrt(v)
	}
	return r
}

func (r *root) row(i int) []float64 { return r.s[i*r.n : (i+1)*r.n] }

// whiten sets dst[k] to Sᵀh[k].
func (r *root) whiten(dst, h [][]float64) {
	for _, f := range dst {
		clear(f)
	}
	// All vectors in one sweep, as it is the root that does not fit the cache.
	for i := range r.n {
		s := r.row(i)
		for k, f := range dst {
			if hi := h[k][i]; hi != 0 { // that of a unit that is off is
				kernel.AddScaled(f, hi, s)
			}
		}
	}
}

// addNoise adds variances to the diagonal of P, and takes the Cholesky factor of the sum for
// the new root. It reports whether the sum is positive definite, to rounding error; else S
// stays as it was.
func (r *root) addNoise(variance []float64) bool {
	if r.next == nil {
		r.next = make([]float64, len(r.s))
	}
	p, n := r.next, r.n
	clear(p)
	const block = 16 // rows that work on one row while it is in the cache
	for start := 0; start < n; start += block {
		end := min(n, start+block)
		for j := range end {
			for i := max(start, j); i < end; i++ {
				p[i*n+j] = kernel.Dot(r.row(i), r.row(j))
			}
		}
	}
	for i, v := range variance {
		p[i*n+i] += v
	}
	if !linalg.FactorizeLower(p, n) {
		return false
	}
	r.s, r.next = p, r.s
	return true
}
