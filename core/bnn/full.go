package bnn

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/core/kernel"
)

// full has a covariance Σ_j = R_jR_jᵀ for all inputs of a neuron: row j·in + i of
// the roots is that of input i.
type full struct{ dense }

func newFull(in, out int) *full { return &full{newDense(in, out, out, in)} }

func (w *full) scratch() int { return w.out * w.in }

func (w *full) setCov(j int, cov mat.Symmetric) error { return w.setBlock(j*w.in, 0, j, cov) }

// forward leaves the g_j = R_jᵀŷ in the scratch: ŷᵀΣ_jŷ = |g_j|².
func (w *full) forward(f *flow) {
	for j := range w.out {
		g, mean := f.scratch[j*w.in:(j+1)*w.in], w.neuronMean(j)
		w.image(g, f.y, j*w.in)
		f.m[j] = kernel.Dot(f.y, mean)
		v := kernel.Dot(g, g)
		for i, s := range f.s {
			if s > 0 {
				row := w.row(j*w.in + i)
				v += s * (mean[i]*mean[i] + kernel.Dot(row, row))
			}
		}
		f.v[j] = v
	}
}

func (w *full) backward(first, second []float64, f *flow) {
	clear(first)
	clear(second)
	for j := range w.out {
		d, e, mean := f.d[j], f.e[j], w.neuronMean(j)
		for i := range first {
			first[i] += mean[i] * d
			second[i] += mean[i] * mean[i] * e
		}
	}
}

// update subtracts from the root, with h = g_j/|g_j|,
//
//	R_j −= (1 − √(1 + e_j|g_j|²)) (R_jh) hᵀ.
func (w *full) update(f *flow) {
	for j := range w.out {
		g := f.scratch[j*w.in : (j+1)*w.in]
		size := kernel.Norm(g)
		if size*size <= certain || f.d[j] == 0 && f.e[j] == 0 {
			continue // certain, or taught nothing
		}
		floats.Scale(1/size, g)
		step, loss := f.d[j]*size, 1-math.Sqrt(math.Max(0, 1+f.e[j]*size*size))
		mean := w.neuronMean(j)
		w.shrink(j*w.in, w.in, g, loss, func(i int, u float64) { mean[i] += step * u })
	}
}
