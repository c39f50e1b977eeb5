package bnn

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// layer holds the Gaussian weights of its neurons.
//
// Covariances are kept as a square root, Σ_j = R_jR_jᵀ, and updated in Potter's
// form (Bierman 1977, Ch. V.2). Updating Σ_j itself loses its definiteness to
// rounding as soon as an example leaves little of a variance, which the hidden
// rule Frozen does to every neuron.
type layer struct {
	in, out int       // in counts the bias
	mean    []float64 // out × in: μ_j
	root    []float64 // out × in × in: R_j
}

func newLayer(in, out int) layer {
	return layer{in: in, out: out, mean: make([]float64, out*in), root: make([]float64, out*in*in)}
}

func (l *layer) neuronMean(j int) []float64 { return l.mean[j*l.in : (j+1)*l.in] }

func (l *layer) neuronRoot(j int) []float64 { return l.root[j*l.in*l.in : (j+1)*l.in*l.in] }

// setCov sets R_j to V√Λ for Σ_j = VΛVᵀ. Eigenvalues that rounding pushed below
// zero become zero.
func (l *layer) setCov(j int, cov mat.Symmetric) error {
	var trace float64
	for a := range l.in {
		for b := range l.in {
			if x := cov.At(a, b); math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("covariance of neuron %d holds %g", j, x)
			}
		}
		trace += math.Abs(cov.At(a, a))
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(cov, true) {
		return fmt.Errorf("eigenvalues of the covariance of neuron %d do not converge", j)
	}
	values := eigen.Values(nil)
	if smallest := values[0]; smallest < -1e-13*trace {
		return fmt.Errorf("covariance of neuron %d has eigenvalue %g; need positive semi-definite", j, smallest)
	}
	root := mat.NewDense(l.in, l.in, l.neuronRoot(j))
	eigen.VectorsTo(root)
	root.Apply(func(_, k int, x float64) float64 { return x * math.Sqrt(math.Max(0, values[k])) }, root)
	if largest := values[l.in-1]; math.IsInf(largest, 0) || math.IsNaN(largest) {
		return fmt.Errorf("covariance of neuron %d overflows", j)
	}
	return nil
}

// covTo sets dst to Σ_j.
func (l *layer) covTo(dst *mat.SymDense, j int) {
	dst.SymOuterK(1, mat.NewDense(l.in, l.in, l.neuronRoot(j)))
}

// forward sets, for every neuron, m_j = ŷ·μ_j, v_j = ŷᵀΣ_jŷ = |g_j|² and the
// row of g (out × in) with g_j = R_jᵀŷ.
func (l *layer) forward(m, v, g, y []float64) error {
	for j := range l.out {
		gj := g[j*l.in : (j+1)*l.in]
		root := l.neuronRoot(j)
		clear(gj)
		for a, ya := range y {
			if ya != 0 {
				floats.AddScaled(gj, ya, root[a*l.in:(a+1)*l.in])
			}
		}
		m[j] = floats.Dot(y, l.neuronMean(j))
		v[j] = floats.Dot(gj, gj)
		if x := m[j] + v[j]; math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("pre-activation of neuron %d overflows: mean %g, variance %g", j, m[j], v[j])
		}
	}
	return nil
}

// update moves the weights of neuron j to the posterior (m̃, ṽ) of its
// pre-activation (paper, Eq. (w)),
//
//	μ_j += (m̃−m)/v u,   Σ_j += (ṽ−v)/v² uuᵀ,   u = Σ_jŷ = R_jg_j,
//
// where shift = m̃ − m, ratio = ṽ/v ≥ 0 and v = |g_j|² > 0. In terms of the root
// and the unit vector h = g_j/√v, which replaces g,
//
//	R_j −= (1 − √(ṽ/v)) (R_jh) hᵀ.
func (l *layer) update(j int, shift, ratio, v float64, g []float64) {
	n := l.in
	mean, root := l.neuronMean(j), l.neuronRoot(j)
	sd, shrink := math.Sqrt(v), 1-math.Sqrt(ratio)
	for a := range g {
		g[a] /= sd
	}
	for a := range n {
		row := root[a*n : (a+1)*n]
		u := floats.Dot(row, g)
		mean[a] += shift / sd * u
		floats.AddScaled(row, -shrink*u, g)
	}
}
