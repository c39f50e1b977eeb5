package laplace

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

// memory is how many steps L-BFGS remembers.
const memory = 15

// LBFGS moves x to a minimum near it and returns its value (Liu and Nocedal, "On the
// limited memory BFGS method for large scale optimization", Mathematical Programming 1989).
// Where no step along its direction gains anything it starts afresh along the gradient.
func (s Search) LBFGS(f Function, x []float64) float64 {
	type pair struct {
		step, change []float64 // s and y, the difference of the gradients
		product      float64   // sᵀy
	}
	var pairs []pair
	var along [memory]float64
	direction := func(d, _, grad []float64) bool {
		floats.ScaleTo(d, -1, grad)
		if len(pairs) == 0 {
			floats.Scale(min(1, 1/kernel.Norm(grad)), d)
			return true
		}
		for i, p := range slices.Backward(pairs) {
			along[i] = kernel.Dot(p.step, d) / p.product
			kernel.AddScaled(d, -along[i], p.change)
		}
		last := pairs[len(pairs)-1]
		floats.Scale(last.product/kernel.Dot(last.change, last.change), d)
		for i, p := range pairs {
			kernel.AddScaled(d, along[i]-kernel.Dot(p.change, d)/p.product, p.step)
		}
		return true
	}
	moved := func(step, change []float64) {
		product := kernel.Dot(step, change)
		if !(product > 0) || math.IsInf(product, 1) {
			return
		}
		if len(pairs) == memory {
			pairs = append(pairs[1:], pair{pairs[0].step, pairs[0].change, product})
		} else {
			pairs = append(pairs, pair{make([]float64, len(x)), make([]float64, len(x)), product})
		}
		last := pairs[len(pairs)-1]
		copy(last.step, step)
		copy(last.change, change)
	}
	forget := func() bool {
		had := len(pairs) > 0
		pairs = nil
		return had
	}
	return s.minimize(f, x, direction, moved, forget)
}

// newton moves x to a minimum near it and returns its value, by a Hessian, or what stands
// for it, that must be positive definite.
func (s Search) newton(f Function, hessian func(h *mat.SymDense, x []float64), x []float64) float64 {
	h := mat.NewSymDense(len(x), nil)
	var factor linalg.Cholesky
	return s.minimize(f, x, func(d, x, grad []float64) bool {
		hessian(h, x)
		floats.ScaleTo(d, -1, grad)
		if !factor.Factorize(h) {
			return false
		}
		factor.Solve(d)
		factor.SolveT(d)
		return true
	}, func(_, _ []float64) {}, func() bool { return false })
}
