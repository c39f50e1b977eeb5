package kalman

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"

	"closedform/core/kernel"
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
				floats.AddScaled(f, hi, s)
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
			floats.AddScaled(s, -beta*kernel.Dot(s, f), f)
		}
		mean[i] += kernel.Dot(s, last)
	}
}

// diffuse forms P, adds to it, and takes its Cholesky factor for the new root.
func (r *full) diffuse(variance []float64) bool {
	if r.next == nil {
		r.next = make([]float64, len(r.s))
	}
	p := blas64.Symmetric{N: r.n, Stride: r.n, Data: r.next, Uplo: blas.Lower}
	blas64.Syrk(blas.NoTrans, 1, blas64.General{Rows: r.n, Cols: r.n, Stride: r.n, Data: r.s}, 0, p)
	for i, v := range variance {
		p.Data[i*r.n+i] += v
	}
	if _, ok := lapack64.Potrf(p); !ok {
		return false
	}
	for i := range r.n {
		clear(p.Data[i*r.n+i+1 : (i+1)*r.n])
	}
	r.s, r.next = r.next, r.s
	return true
}
