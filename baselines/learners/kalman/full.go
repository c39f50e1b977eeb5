package kalman

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

// full is the covariance of all weights, by a square root S, P = SSᵀ, row by row.
type full struct {
	reflections // of f = Sᵀh, for the rows h of the jacobian
	root        []float64
	next        []float64 // of addNoise, with factor
	factor      linalg.Cholesky
}

func newFull(variance []float64, classes int) *full {
	n := len(variance)
	r := &full{reflections: newReflections(classes, n), root: make([]float64, n*n), next: make([]float64, n*n)}
	for i, v := range variance {
		r.row(i)[i] = math.Sqrt(v)
	}
	return r
}

// row returns row i of the root.
func (r *full) row(i int) []float64 {
	n := len(r.white[0])
	return r.root[i*n : (i+1)*n]
}

func (r *full) whiten(j *jacobian) {
	for _, f := range r.white {
		clear(f)
	}
	// All vectors in one sweep, as it is the root that does not fit the cache.
	for a, at := range j.neurons {
		for i, y := range j.input[at.layer] {
			s := r.row(at.from + i)
			for k, f := range r.white {
				if h := j.delta[k][a] * y; h != 0 { // that of a unit that is off is
					kernel.AddScaled(f, h, s)
				}
			}
		}
	}
}

func (r *full) variances(dst []float64, j *jacobian) {
	r.whiten(j)
	r.squares(dst)
}

func (r *full) step(mean []float64, j *jacobian) bool {
	if r.whiten(j); !r.set() {
		return false
	}
	last := r.white[len(r.white)-1]
	for i := range mean {
		s := r.row(i)
		for k, beta := range r.beta {
			f := r.white[k]
			kernel.AddScaled(s, -beta*kernel.Dot(s, f), f)
		}
		mean[i] += kernel.Dot(s, last)
	}
	return true
}

// addNoise adds variances to the diagonal of P, and takes the Cholesky factor of the sum for
// the new root. It reports whether the sum is positive definite, to rounding error; else S
// stays as it was.
func (r *full) addNoise(variance []float64) bool {
	p, n := r.next, len(variance)
	for i, v := range variance {
		for j := range i {
			p[i*n+j], p[j*n+i] = kernel.Dot(r.row(i), r.row(j)), 0
		}
		p[i*n+i] = kernel.Dot(r.row(i), r.row(i)) + v
	}
	if !r.factor.FactorizeLower(p, n) {
		return false
	}
	r.root, r.next = p, r.root
	return true
}

// reflections are what a step makes of the root S of a covariance (Potter 1963; see Bierman,
// "Factorization Methods for Discrete Sequential Estimation", 1977). For an observation with
// derivatives h and noise of unit variance let f = Sᵀh and s = f·f. Then
//
//	P − Phhᵀ P/(1+s) = S(I − ffᵀ/(1+s))Sᵀ = S T T Sᵀ,
//	T = I − βffᵀ,   β = 1/(t(1+t)),   t = √(1+s).
//
// Of several observations each has the f that the steps before it leave, T…Tf.
type reflections struct {
	white  [][]float64 // f of each observation, and of the last vector, which only moves the mean
	beta   []float64
	shrink []float64 // t²
}

func newReflections(count, length int) reflections {
	return reflections{white: vectors(count, length), beta: make([]float64, count-1), shrink: make([]float64, count-1)}
}

// squares sets dst_k to |f_k|².
func (r *reflections) squares(dst []float64) {
	for k, f := range r.white {
		dst[k] = kernel.Dot(f, f)
	}
}

// largestSquare is the largest squared norm of a whitened vector: below it no
// product in a step overflows.
const largestSquare = 1e200

// small reports whether no product of a step with these vectors overflows.
func (r *reflections) small() bool {
	return !slices.ContainsFunc(r.white, func(f []float64) bool { return !(kernel.Dot(f, f) <= largestSquare) })
}

// set applies the reflections of all vectors but the last to all vectors after
// them. It reports whether the numbers are small enough for a step.
func (r *reflections) set() bool {
	if !r.small() {
		return false
	}
	for k := range r.beta {
		f := r.white[k]
		s := kernel.Dot(f, f)
		t := math.Sqrt(1 + s)
		r.beta[k], r.shrink[k] = 1/(t*(1+t)), 1+s
		for _, g := range r.white[k+1:] {
			floats.AddScaled(g, -r.beta[k]*kernel.Dot(f, g), f)
		}
	}
	return true
}
