package laplace

import (
	"math"
	"slices"

	"closedform/internal/kernel"
)

// Function returns its value at x and sets grad to its gradient there. The value may be
// infinite or NaN, where no step ends, but not at the start.
type Function func(grad, x []float64) float64

// Search is the search of a minimum. It ends where no derivative is above GradientTol,
// where rounding lets no step gain anything, or after MaxIter steps.
type Search struct {
	GradientTol float64
	MaxIter     int
}

// minimize moves x along directions, which get x and the gradient there, until the search
// ends, and returns the value. direction reports whether there is one; moved gets each
// step and the difference of the gradients; and forget reports whether another
// direction is worth a try where no step along the last one gained anything.
func (s Search) minimize(f Function, x []float64, direction func(d, x, grad []float64) bool,
	moved func(step, change []float64), forget func() bool,
) float64 {
	grad, d := make([]float64, len(x)), make([]float64, len(x))
	next, nextGrad := make([]float64, len(x)), make([]float64, len(x))
	value := f(grad, x)
	for range s.MaxIter {
		if largest(grad) <= s.GradientTol || !direction(d, x, grad) {
			break
		}
		v, ok := lineSearch(f, next, nextGrad, x, d, value, kernel.Dot(d, grad))
		if !ok {
			if forget() {
				continue
			}
			break
		}
		value = v
		for i := range x {
			d[i] = next[i] - x[i]
			grad[i] = nextGrad[i] - grad[i]
		}
		moved(d, grad)
		copy(x, next)
		copy(grad, nextGrad)
	}
	return value
}

const (
	decrease = 1e-4  // the share of the expected gain that a step must have
	flatten  = 0.9   // the share of the slope that it may leave
	looks    = 60    // evaluations of a line search
	noise    = 1e-14 // the share of a value that rounding may hide
)

// lineSearch sets next to a point x + td where f has fallen and has become flatter, the
// conditions of Wolfe, by bisection (Lewis and Overton, "Nonsmooth optimization via
// quasi-Newton methods", Mathematical Programming 2013), which is at home on kinks. Where
// rounding hides whether f falls, the slope tells (Hager and Zhang, "A new conjugate
// gradient method with guaranteed descent", SIAM Journal on Optimization 2005).
func lineSearch(f Function, next, nextGrad, x, d []float64, value, slope float64) (v float64, ok bool) {
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

// largest returns the largest |x_i|.
func largest(x []float64) float64 { return max(slices.Max(x), -slices.Min(x)) }
