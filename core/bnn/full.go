package bnn

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// full has a covariance for all inputs of a neuron.
//
// Covariances are kept as a square root, Σ_j = R_jR_jᵀ, and updated in Potter's
// form (Bierman 1977, Ch. V.2). Updating Σ_j itself loses its definiteness to
// rounding as soon as an example leaves little of a variance, which the hidden
// rule Frozen does to every neuron.
type full struct {
	in, out int
	mean    []float64 // out × in: μ_j
	root    []float64 // out × in × in: R_j
}

func newFull(in, out int) *full {
	return &full{in: in, out: out, mean: make([]float64, out*in), root: make([]float64, out*in*in)}
}

func (w *full) Dims() (out, in int) { return w.out, w.in }

func (w *full) scratch() int { return w.out * w.in }

func (w *full) clone() weights {
	return &full{in: w.in, out: w.out, mean: slices.Clone(w.mean), root: slices.Clone(w.root)}
}

func (w *full) neuronMean(j int) []float64 { return w.mean[j*w.in : (j+1)*w.in] }

func (w *full) neuronRoot(j int) []float64 { return w.root[j*w.in*w.in : (j+1)*w.in*w.in] }

func (w *full) SetMean(mean *mat.Dense) {
	for j := range w.out {
		mat.Row(w.neuronMean(j), j, mean)
	}
}

// setCov sets R_j to V√Λ for Σ_j = VΛVᵀ. Eigenvalues that rounding pushed below
// zero become zero.
func (w *full) setCov(j int, cov mat.Symmetric) error {
	trace, err := checkCov(j, cov)
	if err != nil {
		return err
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(cov, true) {
		return fmt.Errorf("eigenvalues of the covariance of neuron %d do not converge", j)
	}
	values := eigen.Values(nil)
	if smallest := values[0]; smallest < -(1e-13*trace + 1e-300) {
		return fmt.Errorf("covariance of neuron %d has eigenvalue %g; need positive semi-definite", j, smallest)
	}
	if largest := values[w.in-1]; math.IsInf(largest, 0) || math.IsNaN(largest) {
		return fmt.Errorf("covariance of neuron %d overflows", j)
	}
	root := mat.NewDense(w.in, w.in, w.neuronRoot(j))
	eigen.VectorsTo(root)
	root.Apply(func(_, k int, x float64) float64 { return x * math.Sqrt(math.Max(0, values[k])) }, root)
	return nil
}

func (w *full) neuron(j int) ([]float64, mat.Symmetric) {
	cov := mat.NewSymDense(w.in, nil)
	cov.SymOuterK(1, mat.NewDense(w.in, w.in, w.neuronRoot(j)))
	return slices.Clone(w.neuronMean(j)), cov
}

// forward leaves the g_j = R_jᵀŷ in the scratch: ŷᵀΣ_jŷ = |g_j|².
func (w *full) forward(f *flow) {
	for j := range w.out {
		g, root, mean := f.scratch[j*w.in:(j+1)*w.in], w.neuronRoot(j), w.neuronMean(j)
		clear(g)
		for a, ya := range f.y {
			if ya != 0 {
				floats.AddScaled(g, ya, root[a*w.in:(a+1)*w.in])
			}
		}
		f.m[j] = floats.Dot(f.y, mean)
		v := floats.Dot(g, g)
		for a, sa := range f.s {
			if sa > 0 {
				row := root[a*w.in : (a+1)*w.in]
				v += sa * (mean[a]*mean[a] + floats.Dot(row, row))
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
	n := w.in
	for j := range w.out {
		g := f.scratch[j*n : (j+1)*n]
		size := floats.Norm(g, 2)
		if size == 0 || f.d[j] == 0 && f.e[j] == 0 {
			continue // certain, with nothing to learn, or taught nothing
		}
		floats.Scale(1/size, g)
		step, shrink := f.d[j]*size, 1-math.Sqrt(math.Max(0, 1+f.e[j]*size*size))
		mean, root := w.neuronMean(j), w.neuronRoot(j)
		for a := range n {
			row := root[a*n : (a+1)*n]
			u := floats.Dot(row, g)
			mean[a] += step * u
			floats.AddScaled(row, -shrink*u, g)
		}
	}
}
