package bnn

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"closedform/core/kernel"
	"closedform/core/linear"
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
	kernel.AddRows(g, y, r.root[first*r.size:(first+len(y))*r.size])
}

// shrink takes from the root of n variables whose rows begin at first what an example
// says of them, and adds what it says of the mean: with h a unit vector and u = Rh
//
//	R −= loss u hᵀ,   move(i, u_i).
func (r *roots) shrink(first, n int, h []float64, loss float64, move func(i int, u float64)) {
	var u [4]float64
	i := 0
	for ; i+4 <= n; i += 4 {
		rows := r.root[(first+i)*r.size : (first+i+4)*r.size]
		kernel.Dot4(&u, rows, h)
		for k := range u {
			move(i+k, u[k])
			u[k] *= -loss
		}
		kernel.AddOuter4(rows, &u, h)
	}
	for ; i < n; i++ {
		row := r.row(first + i)
		u := kernel.Dot(row, h)
		move(i, u)
		kernel.AddScaled(row, -loss*u, h)
	}
}

// matrix returns all rows, not a copy.
func (r *roots) matrix() *mat.Dense { return mat.NewDense(len(r.root)/r.size, r.size, r.root) }

// block returns the covariance of n variables from the row first on.
func (r *roots) block(first, n int) *mat.SymDense {
	cov := mat.NewSymDense(n, nil)
	for a := range n {
		for b := a; b < n; b++ {
			cov.SetSym(a, b, kernel.Dot(r.row(first+a), r.row(first+b)))
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
	n := cov.SymmetricDim()
	if _, ok := cov.(mat.Diagonal); ok {
		for a := range n {
			x := cov.At(a, a)
			if x < 0 {
				return fmt.Errorf("covariance of neuron %d has eigenvalue %g; need positive semi-definite", j, x)
			}
			r.row(row + a)[col+a] = math.Sqrt(x)
		}
		return nil
	}
	eigen := linear.NewEigen(n)
	for a := range n {
		for b := a; b < n; b++ {
			eigen.Vectors[a*n+b] = cov.At(a, b)
		}
	}
	if !eigen.Factorize() {
		return fmt.Errorf("eigenvalues of the covariance of neuron %d do not converge", j)
	}
	if eigen.Values[0] < -(1e-13*trace + 1e-300) {
		return fmt.Errorf("covariance of neuron %d has eigenvalue %g; need positive semi-definite", j, eigen.Values[0])
	}
	for a := range n {
		for k, value := range eigen.Values {
			r.row(row + a)[col+k] = eigen.Vectors[a*n+k] * math.Sqrt(math.Max(0, value))
		}
	}
	return nil
}

func (r *roots) spread(s *LayerState) { s.Root = mat.DenseCopyOf(r.matrix()) }

func (r *roots) restore(s LayerState) { r.matrix().Copy(s.Root) }

func (r *roots) largest() (most float64) {
	for i := range len(r.root) / r.size {
		most = max(most, kernel.Dot(r.row(i), r.row(i)))
	}
	return most
}

// addVariance adds v to every variance: with the LQ factorisation (R √v·I) = LQ, by
// Householder reflections,
//
//	RRᵀ + v·I = LLᵀ,
//
// which never forms what rounding could make indefinite.
func (r *roots) addVariance(v float64) {
	n, sd := r.size, math.Sqrt(v)
	wide := make([]float64, 2*n*n)
	for first := 0; first*n < len(r.root); first += n {
		clear(wide)
		for i := range n {
			copy(wide[i*2*n:], r.row(first+i))
			wide[i*2*n+n+i] = sd
		}
		for i := range n {
			part := func(k int) []float64 { return wide[k*2*n+i : (k+1)*2*n] }
			h := part(i)
			row := r.row(first + i)
			clear(row)
			copy(row, wide[i*2*n:i*2*n+i])
			row[i] = linear.Reflection(h)
			for k := i + 1; k < n; k++ {
				kernel.AddScaled(part(k), -kernel.Dot(part(k), h), h)
			}
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
