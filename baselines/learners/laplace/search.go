package laplace

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
)

// memory is how many steps L-BFGS remembers.
const memory = 15

// pair is a step of L-BFGS.
type pair struct {
	step, change []float64 // s and y, the difference of the gradients
	product      float64   // sᵀy
}

// minimize moves x to a minimum near it by L-BFGS, and returns its value; f sets grad to its gradient, and
// may be infinite or NaN, but not at the start (Liu and Nocedal, "On the limited memory BFGS method for large
// scale optimization", Mathematical Programming 1989). It ends where no derivative is above tol, where no
// step gains anything, or after so many steps. Where no step along its direction gains anything it starts
// afresh along the gradient.
func minimize(f func(grad, x []float64) float64, x []float64, tol float64, steps int) float64 {
	var pairs []pair
	grad, d := make([]float64, len(x)), make([]float64, len(x))
	next, nextGrad := make([]float64, len(x)), make([]float64, len(x))
	value := f(grad, x)
	for range steps {
		if max(slices.Max(grad), -slices.Min(grad)) <= tol {
			break
		}
		direction(d, grad, pairs)
		v, ok := lineSearch(f, next, nextGrad, x, d, value, kernel.Dot(d, grad))
		if !ok && len(pairs) == 0 {
			break
		}
		if !ok {
			pairs = nil
			continue
		}
		value = v
		last := pair{step: make([]float64, len(x)), change: make([]float64, len(x))}
		floats.SubTo(last.step, next, x)
		floats.SubTo(last.change, nextGrad, grad)
		last.product = kernel.Dot(last.step, last.change)
		if last.product > 0 && !math.IsInf(last.product, 1) {
			pairs = append(pairs[max(0, len(pairs)+1-memory):], last)
		}
		copy(x, next)
		copy(grad, nextGrad)
	}
	return value
}

// direction sets d to the direction of the next step.
func direction(d, grad []float64, pairs []pair) {
	floats.ScaleTo(d, -1, grad)
	if len(pairs) == 0 {
		floats.Scale(min(1, 1/kernel.Norm(grad)), d)
		return
	}
	var along [memory]float64
	for i, p := range slices.Backward(pairs) {
		along[i] = kernel.Dot(p.step, d) / p.product
		kernel.AddScaled(d, -along[i], p.change)
	}
	last := pairs[len(pairs)-1]
	floats.Scale(last.product/kernel.Dot(last.change, last.change), d)
	for i, p := range pairs {
		kernel.AddScaled(d, along[i]-kernel.Dot(p.change, d)/p.product, p.step)
	}
}

const (
	decrease = 1e-4  // the share of the expected gain that a step must have
	flatten  = 0.9   // the share of the slope that it may leave
	looks    = 60    // evaluations of a line search
	noise    = 1e-14 // the share of a value that rounding may hide
)

// lineSearch sets next to a point x + td that satisfies the conditions of Wolfe, by bisection, which also
// works on kinks (Lewis and Overton, "Nonsmooth optimization via quasi-Newton methods", Mathematical
// Programming 2013). Where rounding hides whether f falls, it uses the slope (Hager and Zhang, SIAM Journal on
// Optimization 2005).
func lineSearch(
	f func(grad, x []float64) float64, next, nextGrad, x, d []float64, value, slope float64,
) (v float64, ok bool) {
	low, high, t := 0.0, math.Inf(1), 1.0
	for range looks {
		copy(next, x)
		kernel.AddScaled(next, t, d)
		v := f(nextGrad, next)
		s := kernel.Dot(nextGrad, d)
		falls := v <= value+decrease*t*slope || v <= value+noise*math.Abs(value) && s <= (2*decrease-1)*slope
		switch {
		case !falls:
			high = t
		case !(s >= flatten*slope):
			low = t
		default:
			return v, true
		}
		if t *= 2; high < math.Inf(1) {
			t = (low + high) / 2
		}
	}
	return value, false
}
