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

// update moves every neuron by Eq. (w), see [Network.Observe]. With h = g_j/|g_j| and Σ_jŷ = |g_j| L_jh,
// the covariance loses −e_j|g_j|² (L_jh)(L_jh)ᵀ.
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

// shared has one covariance for all neurons, Σ_j = Σ = LLᵀ: a matrix normal
// distribution of the weights, with the identity between neurons. Of the posterior
// it keeps the closest such distribution, by the sum over the neurons of
// KL(posterior ‖ shared), whose covariance is the mean of theirs,
//
//	μ_j += d_j Σŷ,   Σ += ē (Σŷ)(Σŷ)ᵀ,   ē = Σ_j e_j/out,
//
// at the price of one neuron: d² numbers and O(d²) operations, not out·d².
type shared struct {
	inputs
	triangles
}

func (w *shared) scratch() int { return 2 * w.padded }

// forward leaves g = Lᵀŷ in the scratch: ŷᵀΣŷ = |g|².
func (w *shared) forward(examples []*flow) {
	for _, f := range examples {
		f.g = f.scratch[:w.padded]
		clear(f.m)
		clear(f.v)
	}
	w.image(examples, 0)
	for i := range w.in {
		mean := w.inputMean(i)
		for _, f := range examples {
			f.rows.Add(f.m, f.y[i], mean)
			if i < len(f.s) && f.s[i] > 0 {
				kernel.Forward(f.m, f.v, 0, 0, f.s[i], mean, mean) // v += s_i μ_ji²
			}
		}
	}
	for _, f := range examples {
		f.rows.Finish(f.m)
		floats.AddConst(kernel.Dot(f.g, f.g)+f.noise, f.v)
	}
}

// update is [full.update] for all neurons at once, with the mean of the e_j for the shared Σ.
func (w *shared) update(f *flow) {
	g, u := f.scratch[:w.padded], f.scratch[w.padded:]
	size := kernel.Norm(g)
	if size*size <= certain {
		return
	}
	floats.Scale(1/size, g)
	e := kernel.Sum(f.e) / float64(w.out)
	w.shrink(u, g, 0, math.Max(0, 1+e*size*size))
	floats.Scale(size, u)
	kernel.AddOuter(w.mean, u[:w.in], f.d)
}
