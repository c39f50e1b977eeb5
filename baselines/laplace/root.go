package laplace

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// root is G = L⁻¹ with H = LLᵀ, of row i the first i+1 entries. With it the covariance
// of the weights is H⁻¹ = GᵀG, so that covariances of the logits are inner products
// and cannot be indefinite.
type root [][]float64

// newRoot returns the root for H.
func newRoot(h *mat.SymDense) (root, error) {
	var chol mat.Cholesky
	var l, inverse mat.TriDense
	if !chol.Factorize(h) {
		return nil, errors.New("laplace: the precision of the weights is not positive definite in double precision")
	}
	chol.LTo(&l)
	if err := inverse.InverseTri(&l); err != nil {
		return nil, fmt.Errorf("laplace: the precision of the weights is singular in double precision: %w", err)
	}
	raw := inverse.RawTriangular()
	g := make(root, raw.N)
	for i := range g {
		g[i] = raw.Data[i*raw.Stride : i*raw.Stride+i+1]
	}
	return g, nil
}

// image sets dst to G f for the vector f that has the given part at offset and zeros
// elsewhere.
func (g root) image(dst []float64, offset int, part []float64) {
	for i, row := range g {
		dst[i] = 0
		if i >= offset {
			row = row[offset:min(i+1, offset+len(part))]
			dst[i] = floats.Dot(row, part[:len(row)])
		}
	}
}
