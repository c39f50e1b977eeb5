package laplace

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/mlp"
)

// block is how many rows of a matrix are gathered before they are multiplied.
const block = 512

// design is a network at given weights with the examples that it has learnt.
type design struct {
	network *mlp.Network
	weights []float64
	data    *mlp.Examples
}

// last returns the place of the last layer.
func (d *design) last() mlp.Layer { return d.network.Layers[len(d.network.Layers)-1] }

// features returns the inputs of the last layer, after a forward pass for x.
func (d *design) features(p *mlp.Pass, x []float64) []float64 {
	if l := len(d.network.Layers) - 1; l > 0 {
		return p.Input(l)
	}
	return x
}

// lastLayer returns the part of H that belongs to the last layer, v the prior
// variances of all weights. With φ_k the features of example k, its block of neurons i and j is
//
//	H_ij = δ_ij diag(1/v) + Σ_k s_ki (δ_ij − s_kj) φ_k φ_kᵀ.
func (d *design) lastLayer(v []float64) *mat.SymDense {
	layer, p := d.last(), d.network.NewPass()
	n, in := layer.Out, layer.In
	h := precision(v[layer.Offset:])
	raw := h.RawSymmetric()
	phi, scaled, s := mat.NewDense(block, in, nil), mat.NewDense(block, in, nil), mat.NewDense(block, n, nil)
	for first := 0; first < d.data.Len(); first += block {
		rows := min(block, d.data.Len()-first)
		for k := range rows {
			x := d.data.Input(first + k)
			d.network.Forward(p, d.weights, x)
			mlp.Normalise(p.Logit)
			s.SetRow(k, p.Logit)
			phi.SetRow(k, d.features(p, x))
		}
		for i := range n {
			for j := i; j < n; j++ {
				sign := -1.0
				if i == j {
					sign = 1
				}
				for k := range rows {
					weight := s.At(k, i) * s.At(k, j)
					if i == j {
						weight = s.At(k, i) * (1 - s.At(k, i))
					}
					floats.ScaleTo(scaled.RawRowView(k), math.Sqrt(max(0, weight)), phi.RawRowView(k))
				}
				to := blas64.Symmetric{N: in, Stride: raw.Stride, Data: raw.Data[i*in*raw.Stride+j*in:], Uplo: blas.Upper}
				blas64.Syrk(blas.Trans, sign, scaled.Slice(0, rows, 0, in).(*mat.Dense).RawMatrix(), 1, to)
			}
		}
	}
	// A block off the diagonal is symmetric, and Syrk has set its upper half.
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

// full returns H for the prior variances v: diag(1/v) + Σ g gᵀ over examples and
// classes c, with the gradients g of Σ_j Score_j z_j for Score = √s_c (e_c − s), since
// diag(s) − ssᵀ = Σ_c s_c (e_c − s)(e_c − s)ᵀ.
func (d *design) full(v []float64) *mat.SymDense {
	h, p := precision(v), d.network.NewPass()
	gradients := mat.NewDense(block, len(d.weights), nil)
	var rows int
	flush := func() {
		blas64.Syrk(blas.Trans, 1, gradients.Slice(0, rows, 0, len(d.weights)).(*mat.Dense).RawMatrix(), 1, h.RawSymmetric())
		gradients.Zero()
		rows = 0
	}
	for k := range d.data.Len() {
		x := d.data.Input(k)
		d.network.Forward(p, d.weights, x)
		mlp.Normalise(p.Logit)
		for c, s := range p.Logit {
			root := math.Sqrt(s)
			for j, t := range p.Logit {
				p.Score[j] = -root * t
			}
			p.Score[c] += root
			d.network.Backward(p, gradients.RawRowView(rows), d.weights, x)
			if rows++; rows == block {
				flush()
			}
		}
	}
	if rows > 0 {
		flush()
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
