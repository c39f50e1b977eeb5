package laplace

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/mlp"
)

// Information sets dst to the Fisher information of the labels at w plus the precision of the
// prior, both of the last layer alone. With φ_k the features of example k and
// s_k = softmax(z(x_k; w)), the block of neurons i and j is
//
//	H_ij = δ_ij diag(1/v) + Σ_k s_ki (δ_ij − s_kj) φ_k φ_kᵀ,
//
// the negative Hessian of LogDensity by these weights. It is NaN where a logit overflows.
func (p *Problem) Information(dst *mat.SymDense, w []float64) {
	last := len(p.network.Layers) - 1
	layer := p.network.Layers[last]
	n, in := layer.Out, layer.In
	dst.Zero()
	for i, v := range p.prior.Var[layer.Offset:] {
		dst.SetSym(i, i, 1/v)
	}
	raw, scaled := dst.RawSymmetric(), make([]float64, in)
	for k := range p.class {
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
