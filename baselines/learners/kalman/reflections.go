package kalman

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
)

// reflections are what a step makes of the root S of a covariance (Potter 1963; see Bierman,
// "Factorization Methods for Discrete Sequential Estimation", 1977). For an observation with
// derivatives h and noise of unit variance let f = Sᵀh and s = f·f. Then
//
//	P − Phhᵀ P/(1+s) = S(I − ffᵀ/(1+s))Sᵀ = S T T Sᵀ,
//	T = I − βffᵀ,   β = 1/(t(1+t)),   t = √(1+s).
//
// Of several observations each has the f that the steps before it leave, T…Tf.
type reflections struct {
	beta   []float64
	shrink []float64 // t²
}

func newReflections(count int) reflections {
	return reflections{beta: make([]float64, count), shrink: make([]float64, count)}
}

// largestSquare is the largest squared norm of a whitened vector: below it no
// product in a step overflows.
const largestSquare = 1e200

// small reports whether no product of a step with these vectors overflows.
func small(white [][]float64) bool {
	return !slices.ContainsFunc(white, func(f []float64) bool { return !(kernel.Dot(f, f) <= largestSquare) })
}

// set applies the reflections of all vectors but the last to all vectors after
// them. It reports whether the numbers are small enough for a step.
func (r reflections) set(white [][]float64) bool {
	if !small(white) {
		return false
	}
	for k := range r.beta {
		f := white[k]
		s := kernel.Dot(f, f)
		t := math.Sqrt(1 + s)
		r.beta[k], r.shrink[k] = 1/(t*(1+t)), 1+s
		for _, g := range white[k+1:] {
			floats.AddScaled(g, -r.beta[k]*kernel.Dot(f, g), f)
		}
	}
	return true
}
