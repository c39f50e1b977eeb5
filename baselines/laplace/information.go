package laplace

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/mlp"
	"closedform/core/kernel"
	"closedform/core/linear"
)

// lastLayer returns the part of H that belongs to the last layer of a network with the
// weights w, v the prior variances of all weights. With φ_k the features of example k,
// its block of neurons i and j is
//
//	H_ij = δ_ij diag(1/v) + Σ_k s_ki (δ_ij − s_kj) φ_k φ_kᵀ.
func lastLayer(network *mlp.Network, w, v []float64, data *mlp.Examples) *mat.SymDense {
	last := len(network.Layers) - 1
	layer, p := network.Layers[last], network.NewPass()
	n, in := layer.Out, layer.In
	h := precision(v[layer.Offset:])
	raw, scaled := h.RawSymmetric(), make([]float64, in)
	for k := range data.Len() {
		network.Forward(p, w, data.Input(k))
		mlp.Normalise(p.Logit)
		for i, si := range p.Logit {
			for j := i; j < n; j++ {
				sign, weight := -1.0, si*p.Logit[j]
				if i == j {
					sign, weight = 1, si*(1-si)
				}
				floats.ScaleTo(scaled, math.Sqrt(max(0, weight)), p.Input(last))
				to := blas64.Symmetric{N: in, Stride: raw.Stride, Data: raw.Data[i*in*raw.Stride+j*in:], Uplo: blas.Upper}
				blas64.Syr(sign, blas64.Vector{N: in, Inc: 1, Data: scaled}, to)
			}
		}
	}
	// A block off the diagonal is symmetric, and Syr has set its upper half.
	for i := range n {
		for j := i + 1; j < n; j++ {
			for a := range in {
				for b := range a {
					h.SetSym(i*in+a, j*in+b, h.At(i*in+b, j*in+a))
				}
			}
		}
	}
	return h
}

// allLayers returns H: diag(1/v) + Σ g gᵀ over examples and classes c, with the gradients
// g of Σ_j Score_j z_j for Score = √s_c (e_c − s), since
// diag(s) − ssᵀ = Σ_c s_c (e_c − s)(e_c − s)ᵀ.
func allLayers(network *mlp.Network, w, v []float64, data *mlp.Examples) *mat.SymDense {
	h, p, gradient := precision(v), network.NewPass(), mat.NewVecDense(len(w), nil)
	for k := range data.Len() {
		network.Forward(p, w, data.Input(k))
		mlp.Normalise(p.Logit)
		for c, s := range p.Logit {
			root := math.Sqrt(s)
			floats.ScaleTo(p.Score, -root, p.Logit)
			p.Score[c] += root
			gradient.Zero()
			network.Backward(p, gradient.RawVector().Data, w)
			h.SymRankOne(h, 1, gradient)
		}
	}
	return h
}

// precision returns diag(1/v).
func precision(v []float64) *mat.SymDense {
	h := mat.NewSymDense(len(v), nil)
	for i, x := range v {
		h.SetSym(i, i, 1/x)
	}
	return h
}

// root is G = L⁻¹ with H = LLᵀ, of row i the first i+1 entries. With it the covariance
// of the weights is H⁻¹ = GᵀG, so that covariances of the logits are inner products
// and cannot be indefinite.
type root [][]float64

// newRoot returns the root for H.
func newRoot(h *mat.SymDense) (root, error) {
	var factor linear.Cholesky
	if !factor.Factorize(h) {
		return nil, errors.New("laplace: the precision of the weights is not positive definite in double precision")
	}
	factor.Invert()
	g := make(root, h.SymmetricDim())
	for i := range g {
		g[i] = factor.Row(i)
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
			dst[i] = kernel.Dot(row, part[:len(row)])
		}
	}
}
