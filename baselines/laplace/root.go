package laplace

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// root is a matrix G that makes the covariance of the weights, H⁻¹ = GᵀG, so that
// covariances of the logits are inner products and cannot be indefinite.
type root interface {
	// dim returns the number of rows of G.
	dim() int

	// image sets dst to G f for the vector f that has the given part at offset
	// and zeros elsewhere.
	image(dst []float64, offset int, part []float64)
}

// newRoot returns the root for H of the design under a prior with variances v.
func newRoot(d *design, c Covariance, v []float64) (root, error) {
	switch c {
	case Diagonal:
		h := d.diagonal(v)
		for i, x := range h {
			if h[i] = 1 / math.Sqrt(x); !(h[i] > 0) {
				return nil, fmt.Errorf("laplace: the precision of weight %d is %g: need a positive finite number", i, x)
			}
		}
		return diagonalRoot(h), nil
	case Full:
		if len(d.network.Layers) > 1 {
			return newTriangle(d.full(v))
		}
	}
	return newTriangle(d.lastLayer(v))
}

// triangle is L⁻¹ with H = LLᵀ: row by row, of row i the first i+1 entries.
type triangle [][]float64

func newTriangle(h *mat.SymDense) (triangle, error) {
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
	g := make(triangle, raw.N)
	for i := range g {
		g[i] = raw.Data[i*raw.Stride : i*raw.Stride+i+1]
	}
	return g, nil
}

func (g triangle) dim() int { return len(g) }

func (g triangle) image(dst []float64, offset int, part []float64) {
	for i, row := range g {
		dst[i] = 0
		if i >= offset {
			row = row[offset:min(i+1, offset+len(part))]
			dst[i] = floats.Dot(row, part[:len(row)])
		}
	}
}

// diagonalRoot holds the standard deviations of the weights.
type diagonalRoot []float64

func (g diagonalRoot) dim() int { return len(g) }

func (g diagonalRoot) image(dst []float64, offset int, part []float64) {
	clear(dst)
	floats.MulTo(dst[offset:offset+len(part)], g[offset:offset+len(part)], part)
}
