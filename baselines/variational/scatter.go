package variational

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/mlp"
)

// scatter is the matrix I + a v Σ_k x_k x_kᵀ, which is S⁻¹ in units of the prior.
type scatter struct {
	chol mat.Cholesky
}

func (s *scatter) set(data *mlp.Examples, v, a float64) error {
	n := data.Inputs()
	sum := mat.NewSymDense(n, nil)
	for k := range data.Len() {
		sum.SymRankOne(sum, a*v, mat.NewVecDense(n, data.Input(k)))
	}
	for i := range n {
		sum.SetSym(i, i, sum.At(i, i)+1)
	}
	if !s.chol.Factorize(sum) || !(s.chol.Cond() < mat.ConditionTolerance) {
		return fmt.Errorf("variational: prior variance %g: the covariance of the weights is singular in double precision", v)
	}
	return nil
}

// solve replaces y by U⁻¹y, or by U⁻ᵀy, where UᵀU is the matrix.
func (s *scatter) solve(trans blas.Transpose, y []float64) {
	u := s.chol.RawU().(interface{ RawTriangular() blas64.Triangular }).RawTriangular()
	blas64.Trsv(trans, u, blas64.Vector{N: len(y), Inc: 1, Data: y})
}
