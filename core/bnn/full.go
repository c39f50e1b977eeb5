package bnn

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
)

// full has a covariance Σ_j = L_jL_jᵀ for all inputs of a neuron.
type full struct {
	neurons
	triangles
}

func newFull(in, out int) *full { return &full{newNeurons(in, out), newTriangles(out, in)} }

func (w *full) scratch() int { return (w.out + 1) * w.padded }

// forward leaves the g_j = L_jᵀŷ in the scratch: ŷᵀΣ_jŷ = |g_j|².
func (w *full) forward(examples []*flow) {
	for j := range w.out {
		for _, f := range examples {
			f.g = f.scratch[j*w.padded : (j+1)*w.padded]
		}
		w.image(examples, j)
		mean := w.neuronMean(j)
		for _, f := range examples {
			f.m[j] = kernel.Dot(f.y, mean)
			v := f.noise + kernel.Dot(f.g, f.g)
			if f.s != nil {
				_, second := kernel.Backward(mean[:len(f.s)], mean, f.s)
				v += second
			}
			f.v[j] = v
		}
	}
}

// update moves every neuron by Eq. (w),
//
//	μ_j += d_j Σ_jŷ,   Σ_j += e_j (Σ_jŷ)(Σ_jŷ)ᵀ.
//
// With h = g_j/|g_j| and Σ_jŷ = |g_j| L_jh, the covariance loses −e_j|g_j|² (L_jh)(L_jh)ᵀ.
func (w *full) update(f *flow) {
	u := f.scratch[w.out*w.padded:]
	for j := range w.out {
		g := f.scratch[j*w.padded : (j+1)*w.padded]
		size := kernel.Norm(g)
		if size*size <= certain || f.d[j] == 0 && f.e[j] == 0 {
			continue // zero variance or zero step
		}
		floats.Scale(1/size, g)
		w.shrink(u, g, j, math.Max(0, 1+f.e[j]*size*size))
		kernel.AddScaled(w.neuronMean(j), f.d[j]*size, u)
	}
}
