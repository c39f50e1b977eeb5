package bnn

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// roots are square roots R of covariances, Σ = RRᵀ, one below the other. They are
// updated in Potter's form (Bierman 1977, Ch. V.2): Σ itself would lose its
// definiteness to rounding as soon as an example leaves little of a variance, which
// the hidden rule Frozen does to every neuron.
type roots struct {
	size int // of each R: size × size
	root []float64
}

func newRoots(count, size int) roots { return roots{size, make([]float64, count*size*size)} }

func (r *roots) row(i int) []float64 { return r.root[i*r.size : (i+1)*r.size] }

// image sets g to Rᵀy for the root, or the part of one, whose rows begin at first.
func (r *roots) image(g, y []float64, first int) {
	clear(g)
	for i, yi := range y {
		if yi != 0 {
			floats.AddScaled(g, yi, r.row(first+i))
		}
	}
}

// matrix returns all rows, not a copy.
func (r *roots) matrix() *mat.Dense { return mat.NewDense(len(r.root)/r.size, r.size, r.root) }

// block returns the covariance of n variables from the row first on.
func (r *roots) block(first, n int) *mat.SymDense {
	cov := mat.NewSymDense(n, nil)
	for a := range n {
		for b := a; b < n; b++ {
			cov.SetSym(a, b, floats.Dot(r.row(first+a), r.row(first+b)))
		}
	}
	return cov
}

// setBlock puts the root V√Λ of the covariance VΛVᵀ of neuron j at a row and a
// column. Eigenvalues that rounding pushed below zero become zero.
func (r *roots) setBlock(row, col, j int, cov mat.Symmetric) error {
	trace, err := checkCov(j, cov)
	if err != nil {
		return err
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(cov, true) {
		return fmt.Errorf("eigenvalues of the covariance of neuron %d do not converge", j)
	}
	values := eigen.Values(nil)
	if values[0] < -(1e-13*trace + 1e-300) {
		return fmt.Errorf("covariance of neuron %d has eigenvalue %g; need positive semi-definite", j, values[0])
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	for a := range values {
		for k, x := range vectors.RawRowView(a) {
			r.row(row + a)[col+k] = x * math.Sqrt(math.Max(0, values[k]))
		}
	}
	return nil
}

func (r *roots) spread(s *LayerState) { s.Root = mat.DenseCopyOf(r.matrix()) }

func (r *roots) restore(s LayerState) { r.matrix().Copy(s.Root) }

func (r *roots) largest() (most float64) {
	for i := range len(r.root) / r.size {
		most = max(most, floats.Dot(r.row(i), r.row(i)))
	}
	return most
}

// addVariance adds v to every variance: with the LQ factorisation (R √v·I) = LQ,
//
//	RRᵀ + v·I = LLᵀ,
//
// which never forms what rounding could make indefinite.
func (r *roots) addVariance(v float64) {
	n, sd := r.size, math.Sqrt(v)
	wide := blas64.General{Rows: n, Cols: 2 * n, Stride: 2 * n, Data: make([]float64, 2*n*n)}
	tau, need := make([]float64, n), []float64{0}
	lapack64.Gelqf(wide, tau, need, -1)
	work := make([]float64, int(need[0]))
	for first := 0; first*n < len(r.root); first += n {
		clear(wide.Data)
		for i := range n {
			copy(wide.Data[i*2*n:], r.row(first+i))
			wide.Data[i*2*n+n+i] = sd
		}
		lapack64.Gelqf(wide, tau, work, len(work))
		for i := range n {
			row := r.row(first + i)
			clear(row)
			copy(row[:i+1], wide.Data[i*2*n:])
		}
	}
}

// dense are weights whose means are stored neuron by neuron, as their roots are.
type dense struct {
	in, out int
	mean    []float64 // out × in: μ_j
	roots
}

func newDense(in, out, count, size int) dense {
	return dense{in: in, out: out, mean: make([]float64, out*in), roots: newRoots(count, size)}
}

func (w *dense) neuronMean(j int) []float64 { return w.mean[j*w.in : (j+1)*w.in] }

func (w *dense) SetMean(mean *mat.Dense) { mat.NewDense(w.out, w.in, w.mean).Copy(mean) }

func (w *dense) MeanMatrix() *mat.Dense { return mat.NewDense(w.out, w.in, slices.Clone(w.mean)) }

// cov returns the covariance of the weights of neuron j, whatever they correlate
// with outside of it.
func (w *dense) cov(j int) mat.Symmetric { return w.block(j*w.in, w.in) }
