package linear

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// Eigen factorises symmetric n×n matrices, A = VΛVᵀ, one after another without
// allocating.
type Eigen struct {
	Vectors []float64 // n×n: V, and before that A, of which the upper triangle is read
	Values  []float64 // Λ, ascending
	work    []float64
}

// NewEigen returns space for n×n matrices.
func NewEigen(n int) *Eigen {
	e := &Eigen{Vectors: make([]float64, n*n), Values: make([]float64, n)}
	var size [1]float64
	lapack64.Syev(lapack.EVCompute, e.matrix(), e.Values, size[:], -1)
	e.work = make([]float64, int(size[0]))
	return e
}

// Factorize overwrites the matrix in Vectors. It reports whether the eigenvalues
// have converged, which those of finite numbers do.
func (e *Eigen) Factorize() bool {
	return lapack64.Syev(lapack.EVCompute, e.matrix(), e.Values, e.work, len(e.work))
}

func (e *Eigen) matrix() blas64.Symmetric {
	n := len(e.Values)
	return blas64.Symmetric{N: n, Stride: n, Data: e.Vectors, Uplo: blas.Upper}
}
