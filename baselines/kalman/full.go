package kalman

import (
	"math"

	"closedform/core/kernel"
	"closedform/core/linear"
)

// full is a root with all entries, row by row.
type full struct {
	n    int
	s    []float64
	next []float64 // of diffuse
}

// newFull returns the root of a diagonal covariance.
func newFull(variance []float64) *full {
	n := len(variance)
	r := &full{n: n, s: make([]float64, n*n)}
	for i, v := range variance {
		r.s[i*n+i] = math.Sqrt(v)
	}
	return r
}

func (r *full) row(i int) []float64 { return r.s[i*r.n : (i+1)*r.n] }

func (r *full) whiten(dst, h [][]float64) {
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

func (r *full) step(mean []float64, white [][]float64, steps reflections) {
	last := white[len(white)-1]
	for i := range mean {
		s := r.row(i)
		for k, beta := range steps.beta {
			f := white[k]
			kernel.AddScaled(s, -beta*kernel.Dot(s, f), f)
		}
		mean[i] += kernel.Dot(s, last)
	}
}

// diffuse forms P, adds to it, and takes its Cholesky factor for the new root.
func (r *full) diffuse(variance []float64) bool {
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
	if !linear.FactorizeLower(p, n) {
		return false
	}
	r.s, r.next = p, r.s
	return true
}
