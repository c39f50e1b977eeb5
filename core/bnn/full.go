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
func (w *full) forward(f *flow) {
	for j := range w.out {
		g, mean := f.scratch[j*w.padded:(j+1)*w.padded], w.neuronMean(j)
		f.m[j] = kernel.Dot(f.y, mean)
		f.v[j] = w.image(g, f, j) + kernel.Dot(g, g)
		if f.s != nil {
			_, second := kernel.Backward(mean[:len(f.s)], mean, f.s)
			f.v[j] += second
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
func (w *shared) forward(f *flow) {
	clear(f.m)
	clear(f.v)
	var rows kernel.Rows
	for i := range w.in {
		mean := w.inputMean(i)
		rows.Add(f.m, f.y[i], mean)
		if i < len(f.s) && f.s[i] > 0 {
			kernel.Forward(f.m, f.v, 0, 0, f.s[i], mean, mean) // v += s_i μ_ji²
		}
	}
	rows.Finish(f.m)
	g := f.scratch[:w.padded]
	noise := w.image(g, f, 0)
	floats.AddConst(kernel.Dot(g, g)+noise, f.v)
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
