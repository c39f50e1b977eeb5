package bnn

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// correlated is a layer with one Gaussian over the weights of all its neurons,
// put one after another, w ~ N(μ, Σ) with Σ = RRᵀ.
type correlated struct {
	in, out int
	mean    []float64 // μ: out × in
	root    []float64 // R: (out·in) × (out·in)

	// Of the update: K = GᵀG, its eigenvectors and values, then those of M.
	k, m        blas64.Symmetric
	kval, mval  []float64
	work        []float64
	q, rq, turn []float64 // see update
}

func newCorrelated(in, out int) *correlated {
	size := in * out
	symmetric := func() blas64.Symmetric {
		return blas64.Symmetric{N: out, Stride: out, Data: make([]float64, out*out), Uplo: blas.Upper}
	}
	w := &correlated{
		in: in, out: out, mean: make([]float64, size), root: make([]float64, size*size),
		k: symmetric(), m: symmetric(), kval: make([]float64, out), mval: make([]float64, out),
		q: make([]float64, size), rq: make([]float64, size), turn: make([]float64, out*out),
	}
	var need [1]float64
	lapack64.Syev(lapack.EVCompute, w.k, w.kval, need[:], -1)
	w.work = make([]float64, int(need[0]))
	return w
}

func (w *correlated) Dims() (out, in int) { return w.out, w.in }

func (w *correlated) scratch() int { return w.out * w.out * w.in }

func (w *correlated) clone() weights {
	c := newCorrelated(w.in, w.out)
	copy(c.mean, w.mean)
	copy(c.root, w.root)
	return c
}

// row returns that of R for the weight of input i to neuron j.
func (w *correlated) row(j, i int) []float64 {
	size := w.in * w.out
	at := j*w.in + i
	return w.root[at*size : (at+1)*size]
}

func (w *correlated) SetMean(mean *mat.Dense) {
	for j := range w.out {
		mat.Row(w.mean[j*w.in:(j+1)*w.in], j, mean)
	}
}

// setCov sets the block of neuron j of weights that are new, hence independent.
func (w *correlated) setCov(j int, cov mat.Symmetric) error {
	one := newFull(w.in, 1)
	if err := one.setCov(0, cov); err != nil {
		return err
	}
	for i := range w.in {
		copy(w.row(j, i)[j*w.in:(j+1)*w.in], one.root[i*w.in:(i+1)*w.in])
	}
	return nil
}

// neuron returns the marginal distribution of the weights of neuron j.
func (w *correlated) neuron(j int) ([]float64, mat.Symmetric) {
	cov := mat.NewSymDense(w.in, nil)
	for a := range w.in {
		for b := a; b < w.in; b++ {
			cov.SetSym(a, b, floats.Dot(w.row(j, a), w.row(j, b)))
		}
	}
	return slices.Clone(w.mean[j*w.in : (j+1)*w.in]), cov
}

// forward leaves the columns g_j of G = Rᵀ(I⊗ŷ) in the scratch, and sets the
// covariance of the pre-activations,
//
//	V_jk = g_j·g_k + Σ_i s_i (μ_ji μ_ki + Σ_ji,ki).
func (w *correlated) forward(f *flow) {
	size := w.in * w.out
	for j := range w.out {
		g := f.scratch[j*size : (j+1)*size]
		clear(g)
		for i, y := range f.y {
			if y != 0 {
				floats.AddScaled(g, y, w.row(j, i))
			}
		}
		f.m[j] = floats.Dot(f.y, w.mean[j*w.in:(j+1)*w.in])
		for k := range j + 1 {
			v := floats.Dot(g, f.scratch[k*size:(k+1)*size])
			for i, s := range f.s {
				if s > 0 {
					v += s * (w.mean[j*w.in+i]*w.mean[k*w.in+i] + floats.Dot(w.row(j, i), w.row(k, i)))
				}
			}
			f.cov.SetSym(j, k, v)
		}
		f.v[j] = f.cov.At(j, j)
	}
}

// backward has the Hessian in place of the e_j: second_i is
// Σ_jk μ_ji H_jk μ_ki.
func (w *correlated) backward(first, second []float64, f *flow) {
	for i := range first {
		first[i], second[i] = 0, 0
		for j := range w.out {
			mu := w.mean[j*w.in+i]
			first[i] += mu * f.d[j]
			for k := range w.out {
				second[i] += mu * f.curve[j][k] * w.mean[k*w.in+i]
			}
		}
	}
}

// update is Eq. (w) for all neurons at once: with the gradient d and the Hessian H
// of log p in the means of the pre-activations,
//
//	μ += R G d,   R ← R (I + GHGᵀ)^½.
//
// With K = GᵀG = UΛUᵀ, the orthonormal Q = GUΛ^−½ and the eigenvalues e_l and
// eigenvectors w_l of M = Λ^½UᵀHUΛ^½, the root is I + Σ_l (√(1+e_l) − 1) q_lq_lᵀ
// for q_l = Qw_l.
func (w *correlated) update(f *flow) {
	size, n := w.in*w.out, w.out
	g := func(j int) []float64 { return f.scratch[j*size : (j+1)*size] }
	for j := range n {
		for k := j; k < n; k++ {
			w.k.Data[j*n+k] = floats.Dot(g(j), g(k))
		}
	}
	// The mean moves by what the weights are before the root does.
	clear(w.q)
	for j := range n {
		floats.AddScaled(w.q, f.d[j], g(j))
	}
	for a := range size {
		w.rq[a] = floats.Dot(w.root[a*size:(a+1)*size], w.q)
	}
	floats.Add(w.mean, w.rq)
	if !lapack64.Syev(lapack.EVCompute, w.k, w.kval, w.work, len(w.work)) {
		panic("bnn: eigenvalues of a joint output layer do not converge") // only of numbers that are not finite, which forward refuses
	}
	for l, x := range w.kval {
		w.kval[l] = math.Sqrt(max(0, x))
	}
	for l := range n {
		for m := l; m < n; m++ {
			var x float64
			for j := range n {
				for k := range n {
					x += w.k.Data[j*n+l] * f.curve[j][k] * w.k.Data[k*n+m]
				}
			}
			w.m.Data[l*n+m] = x * w.kval[l] * w.kval[m]
		}
	}
	if !lapack64.Syev(lapack.EVCompute, w.m, w.mval, w.work, len(w.work)) {
		panic("bnn: eigenvalues of the step of a joint output layer do not converge")
	}
	// turn = UΛ^−½W: q_l is G times its column l.
	least := 1e-8 * w.kval[n-1]
	for j := range n {
		for l := range n {
			var x float64
			for k := range n {
				if w.kval[k] > least {
					x += w.k.Data[j*n+k] / w.kval[k] * w.m.Data[k*n+l]
				}
			}
			w.turn[j*n+l] = x
		}
	}
	for l, e := range w.mval {
		factor := math.Sqrt(max(0, 1+e)) - 1
		if factor == 0 {
			continue
		}
		clear(w.q)
		for j := range n {
			floats.AddScaled(w.q, w.turn[j*n+l], g(j))
		}
		for a := range size {
			row := w.root[a*size : (a+1)*size]
			floats.AddScaled(row, factor*floats.Dot(row, w.q), w.q)
		}
	}
}
