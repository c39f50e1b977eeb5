package bnn

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/internal/kernel"
)

// full has a covariance Σ_j = L_jL_jᵀ for each neuron.
type full struct {
	mean *mat.Dense // neurons × inputs: row j is μ_j
	triangles
}

func (w *full) state() LayerState { return LayerState{mat.DenseCopyOf(w.mean), w.spread()} }

func (w *full) restore(s LayerState) {
	w.mean.Copy(s.Mean)
	w.setSpread(s.Spread)
}

func (w *full) numbers() [2][]float64 { return [2][]float64{w.mean.RawMatrix().Data, w.factor} }

// forward leaves g_j = L_jᵀŷ in the scratch space, with ŷᵀΣ_jŷ = |g_j|².
func (w *full) forward(f *flow) {
	for j := range f.m {
		g, mean := f.scratch[j*w.padded:(j+1)*w.padded], w.mean.RawRowView(j)
		f.m[j] = kernel.Dot(f.y, mean)
		f.v[j] = w.image(g, f, j) + kernel.Dot(g, g)
		if f.s != nil {
			_, second := kernel.Backward(mean[:len(f.s)], mean, f.s)
			f.v[j] += second
		}
	}
}

func (w *full) backward(first, second []float64, f *flow) {
	clear(first)
	clear(second)
	for j := range f.d {
		mean := w.mean.RawRowView(j)
		kernel.Forward(first, second, f.d[j], 0, f.e[j], mean, mean) // first += d μ_j, second += e μ_j²
	}
}

// update applies Eq. (w), see [Network.Observe], to every neuron. With h = g_j/|g_j|, Σ_jŷ = |g_j| L_jh, and
// Σ_j loses −e_j|g_j|² (L_jh)(L_jh)ᵀ.
func (w *full) update(f *flow) {
	u := f.scratch[len(f.scratch)-w.padded:]
	for j := range f.d {
		g := f.scratch[j*w.padded : (j+1)*w.padded]
		size := kernel.Norm(g)
		if size*size <= certain || f.d[j] == 0 && f.e[j] == 0 {
			continue // zero variance or zero step
		}
		floats.Scale(1/size, g)
		w.shrink(u, g, j, math.Max(0, 1+f.e[j]*size*size))
		kernel.AddScaled(w.mean.RawRowView(j), f.d[j]*size, u)
	}
}

// shared has one covariance Σ_j = Σ = LLᵀ for all neurons, at the cost of one. An update keeps the shared
// distribution that minimises the sum over neurons of KL(posterior ‖ shared), whose Σ is the mean of theirs:
// μ_j += d_j Σŷ, Σ += ē (Σŷ)(Σŷ)ᵀ, ē = Σ_j e_j/out.
type shared struct {
	inputs
	triangles
}

func (w *shared) state() LayerState { return LayerState{mat.DenseCopyOf(w.mean.T()), w.spread()} }

func (w *shared) restore(s LayerState) {
	w.mean.Copy(s.Mean.T())
	w.setSpread(s.Spread)
}

func (w *shared) numbers() [2][]float64 { return [2][]float64{w.mean.RawMatrix().Data, w.factor} }

func (w *shared) forward(f *flow) {
	clear(f.m)
	clear(f.v)
	kernel.AddRows(f.m, f.y, w.mean.RawMatrix().Data)
	for i, s := range f.s {
		if mean := w.mean.RawRowView(i); s > 0 {
			kernel.Forward(f.m, f.v, 0, 0, s, mean, mean) // v += s_i μ_ji²
		}
	}
	g := f.scratch[:w.padded]
	noise := w.image(g, f, 0)
	floats.AddConst(kernel.Dot(g, g)+noise, f.v)
}

func (w *shared) update(f *flow) {
	g, u := f.scratch[:w.padded], f.scratch[w.padded:]
	size := kernel.Norm(g)
	if size*size <= certain {
		return
	}
	floats.Scale(1/size, g)
	e := kernel.Sum(f.e) / float64(len(f.e))
	w.shrink(u, g, 0, math.Max(0, 1+e*size*size))
	floats.Scale(size, u)
	kernel.AddOuter(w.mean.RawMatrix().Data, u[:w.size], f.d)
}

type diagonal struct {
	inputs
	variance *mat.Dense // inputs × neurons
	count    float64    // Config.Replications
	minRatio float64    // smallest new over old variance
}

func (w *diagonal) state() LayerState {
	return LayerState{mat.DenseCopyOf(w.mean.T()), mat.DenseCopyOf(w.variance.T())}
}

func (w *diagonal) restore(s LayerState) {
	w.mean.Copy(s.Mean.T())
	w.variance.Copy(s.Spread.T())
}

func (w *diagonal) numbers() [2][]float64 {
	return [2][]float64{w.mean.RawMatrix().Data, w.variance.RawMatrix().Data}
}

func (w *diagonal) forget(first int, prior, share float64) {
	_, out := w.variance.Dims()
	variances := w.variance.RawMatrix().Data
	variances = variances[first*out : min((first+4)*out, len(variances))]
	for i, v := range variances {
		variances[i] = v + float64(share*(prior-v))
	}
}

func (w *diagonal) forward(f *flow) {
	clear(f.m)
	clear(f.v)
	for i, y := range f.y {
		s := 0.0
		if i < len(f.s) {
			s = f.s[i]
		}
		if y != 0 || s != 0 { // v += σ²_ji (y² + s) + μ_ji² s
			kernel.Forward(f.m, f.v, y, y*y+s, s, w.mean.RawRowView(i), w.variance.RawRowView(i))
		}
	}
}

// floored counts the variances that update keeps at minRatio times their old value.
func (w *diagonal) floored(f *flow) (count int) {
	for j, e := range f.e {
		if w.minRatio == 0 || -w.count*e*f.v[j] < 1-w.minRatio {
			continue // no variance is at its floor, as v_ji ŷ_i² ≤ v_j
		}
		for i, y := range f.y {
			if 1+e*(w.variance.At(i, j)*y)*(w.count*y) < w.minRatio {
				count++
			}
		}
	}
	return count
}

// update is Eq. (w) for diagonal Σ_j, e_j times w.count: μ_ji += d_j v_ji ŷ_i, v_ji += e_j (v_ji ŷ_i)².
func (w *diagonal) update(f *flow) {
	for i, y := range f.y {
		if y != 0 {
			kernel.Update(w.mean.RawRowView(i), w.variance.RawRowView(i), f.d, f.e, y, w.count*y, w.minRatio)
		}
	}
}
