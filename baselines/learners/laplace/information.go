package laplace

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/mlp"
	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

// Information sets dst to the Fisher information of the labels at w plus the
// precision of the prior,
//
//	H = diag(1/v) + Σ_k Σ_c s_c g_c g_cᵀ,   g_c = ∂ log softmax_c(z(x_k; w))/∂w,
//
// with s = softmax(z(x_k; w)). Without hidden layers H is the negative Hessian of
// LogDensity; with them it is the generalised Gauss–Newton approximation. It is NaN
// where a logit overflows. Information panics if a size is not the number of weights.
func (p *Problem) Information(dst *mat.SymDense, w []float64) {
	n := len(p.prior.Mean)
	if len(w) != n || dst.SymmetricDim() != n {
		panic(fmt.Sprintf("laplace: %d×%[1]d matrix at a point of length %d; the model has %d weights", dst.SymmetricDim(), len(w), n))
	}
	setPrecision(dst, p.prior.Var)
	score := mat.NewVecDense(n, p.score)
	for k := range p.data.Class {
		p.network.Forward(p.pass, w, p.example(k))
		mlp.Normalise(p.pass.Logit)
		for c, s := range p.pass.Logit {
			for j, t := range p.pass.Logit {
				p.pass.Score[j] = -t
			}
			p.pass.Score[c]++
			clear(p.score)
			p.network.Backward(p.pass, p.score, w)
			dst.SymRankOne(dst, s, score)
		}
	}
}

// lastLayer sets dst to the part of Information that belongs to the last layer, in a
// fraction of the time. With φ_k the features of example k, its block of neurons i and j is
//
//	H_ij = δ_ij diag(1/v) + Σ_k s_ki (δ_ij − s_kj) φ_k φ_kᵀ.
func (p *Problem) lastLayer(dst *mat.SymDense, w []float64) {
	last := len(p.network.Layers) - 1
	layer := p.network.Layers[last]
	n, in := layer.Out, layer.In
	setPrecision(dst, p.prior.Var[layer.Offset:])
	raw, scaled := dst.RawSymmetric(), make([]float64, in)
	for k := range p.data.Class {
		p.network.Forward(p.pass, w, p.example(k))
		mlp.Normalise(p.pass.Logit)
		for i, si := range p.pass.Logit {
			for j := i; j < n; j++ {
				sign, weight := -1.0, si*p.pass.Logit[j]
				if i == j {
					sign, weight = 1, si*(1-si)
				}
				floats.ScaleTo(scaled, math.Sqrt(max(0, weight)), p.pass.Input(last))
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
					dst.SetSym(i*in+a, j*in+b, dst.At(i*in+b, j*in+a))
				}
			}
		}
	}
}

// setPrecision sets dst to diag(1/v).
func setPrecision(dst *mat.SymDense, v []float64) {
	dst.Zero()
	for i, x := range v {
		dst.SetSym(i, i, 1/x)
	}
}

// root is G = L⁻¹ with H = LLᵀ, of row i the first i+1 entries. With it the covariance
// of the weights is H⁻¹ = GᵀG, so that covariances of the logits are inner products
// and cannot be indefinite.
type root [][]float64

// newRoot returns the root for H.
func newRoot(h *mat.SymDense) (root, error) {
	var factor linalg.Cholesky
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
