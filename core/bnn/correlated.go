package bnn

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

// correlated has one Gaussian over the weights of all neurons, put one after another,
// w ~ N(μ, Σ) with Σ = RRᵀ: row j·in + i of the root is that of input i to neuron j. It
// is updated in Potter's form (Bierman 1977, Ch. V.2).
type correlated struct {
	neurons
	size int       // in·out
	root []float64 // size × size
}

func newCorrelated(in, out int) *correlated {
	size := in * out
	return &correlated{newNeurons(in, out), size, make([]float64, size*size)}
}

func (w *correlated) row(i int) []float64 { return w.root[i*w.size : (i+1)*w.size] }

// jointFlow is what the flow of a correlated layer holds besides.
type jointFlow struct {
	cov     *mat.SymDense // of the pre-activations
	hessian *mat.Dense    // ∂² log p/∂m², which has the e_j as its diagonal

	// Of update, which see.
	k, m    *linalg.Eigen
	q, turn []float64
}

func newJointFlow(in, out int) *jointFlow {
	return &jointFlow{
		cov: mat.NewSymDense(out, nil), hessian: mat.NewDense(out, out, nil), k: linalg.NewEigen(out), m: linalg.NewEigen(out),
		q: make([]float64, in*out), turn: make([]float64, out*out),
	}
}

func (w *correlated) scratch() int { return w.out * w.size }

// setCov is for weights that are new, hence independent.
func (w *correlated) setCov(j int, cov mat.Symmetric) error {
	root, err := covRoot(j, cov)
	if err != nil {
		return err
	}
	for i := range w.in {
		copy(w.row(j*w.in + i)[j*w.in:], root[i*w.in:(i+1)*w.in])
	}
	return nil
}

// cov returns the covariance of the weights of neuron j.
func (w *correlated) cov(j int) mat.Symmetric {
	cov := mat.NewSymDense(w.in, nil)
	for a := range w.in {
		for b := a; b < w.in; b++ {
			cov.SetSym(a, b, kernel.Dot(w.row(j*w.in+a), w.row(j*w.in+b)))
		}
	}
	return cov
}

func (w *correlated) spread(s *LayerState) {
	s.Root = mat.DenseCopyOf(mat.NewDense(w.size, w.size, w.root))
}

func (w *correlated) restore(s LayerState) { mat.NewDense(w.size, w.size, w.root).Copy(s.Root) }

func (w *correlated) largest() (most float64) {
	for i := range w.size {
		most = max(most, kernel.Dot(w.row(i), w.row(i)))
	}
	return most
}

func (w *correlated) addVariance(v float64) { w.root = addToRoot(w.root, v) }

// forward leaves the columns g_j of G = Rᵀ(I⊗ŷ) in the scratch, and sets the
// covariance of the pre-activations,
//
//	V_jk = g_j·g_k + Σ_i s_i (μ_ji μ_ki + Σ_ji,ki).
func (w *correlated) forward(examples []*flow) {
	for _, f := range examples {
		w.forwardOne(f)
	}
}

func (w *correlated) forwardOne(f *flow) {
	for j := range w.out {
		g, mean := f.scratch[j*w.size:(j+1)*w.size], w.neuronMean(j)
		clear(g)
		kernel.AddRows(g, f.y, w.root[j*w.in*w.size:(j+1)*w.in*w.size])
		f.m[j] = kernel.Dot(f.y, mean)
		for k := range j + 1 {
			v := kernel.Dot(g, f.scratch[k*w.size:(k+1)*w.size])
			for i, s := range f.s {
				if s > 0 {
					v += s * (mean[i]*w.neuronMean(k)[i] + kernel.Dot(w.row(j*w.in+i), w.row(k*w.in+i)))
				}
			}
			f.joint.cov.SetSym(j, k, v)
		}
		f.v[j] = f.joint.cov.At(j, j)
	}
}

// backward has the Hessian in place of the e_j: second_i is Σ_jk μ_ji H_jk μ_ki.
func (w *correlated) backward(first, second []float64, f *flow) {
	for i := range first {
		first[i], second[i] = 0, 0
		for j := range w.out {
			mu := w.mean[j*w.in+i]
			first[i] += mu * f.d[j]
			for k, h := range f.joint.hessian.RawRowView(j) {
				second[i] += mu * h * w.mean[k*w.in+i]
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
	size, n, s := w.size, w.out, f.joint
	g := func(j int) []float64 { return f.scratch[j*size : (j+1)*size] }
	u, root := s.k.Vectors, s.k.Values // U, Λ^½
	for j := range n {
		for k := j; k < n; k++ {
			u[j*n+k] = kernel.Dot(g(j), g(k))
		}
	}
	// The mean moves by what the weights are before the root does.
	clear(s.q)
	for j := range n {
		kernel.AddScaled(s.q, f.d[j], g(j))
	}
	for a := range size {
		w.mean[a] += kernel.Dot(w.row(a), s.q)
	}
	factorize(s.k)
	for l, x := range root {
		root[l] = math.Sqrt(max(0, x))
	}
	for l := range n {
		for m := l; m < n; m++ {
			var x float64
			for j := range n {
				for k, h := range s.hessian.RawRowView(j) {
					x += u[j*n+l] * h * u[k*n+m]
				}
			}
			s.m.Vectors[l*n+m] = x * root[l] * root[m]
		}
	}
	factorize(s.m)
	// turn = UΛ^−½W: q_l is G times its column l.
	least := 1e-8 * root[n-1]
	for j := range n {
		for l := range n {
			var x float64
			for k := range n {
				if root[k] > least {
					x += u[j*n+k] / root[k] * s.m.Vectors[k*n+l]
				}
			}
			s.turn[j*n+l] = x
		}
	}
	for l, e := range s.m.Values {
		factor := math.Sqrt(max(0, 1+e)) - 1
		if factor == 0 {
			continue
		}
		clear(s.q)
		for j := range n {
			kernel.AddScaled(s.q, s.turn[j*n+l], g(j))
		}
		for a := range size {
			row := w.row(a)
			kernel.AddScaled(row, factor*kernel.Dot(row, s.q), s.q)
		}
	}
}

func factorize(e *linalg.Eigen) {
	if !e.Factorize() {
		panic("bnn: eigenvalues of a joint output layer do not converge") // only if forward let a NaN pass
	}
}
