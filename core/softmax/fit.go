package softmax

import (
	"math"

	"closedform/internal/kernel"
)

// Criteria are what may choose a λ, see [FitLambda].
var Criteria = []string{"slope", "lsq", "minimax"}

// MostRho is the largest ρ at which [FitLambda] takes no more than seconds: its work and memory grow like
// powers of 1/(1−ρ).
const MostRho = 0.99

// FitLambda returns the λ of a probit of correlation ρ that brings its probabilities closest to the softmax
// of n logits without variance, over the box [−3, 3]ⁿ, in which the odds of two classes are at most e⁶:
//
//	slope    matches the slope of the softmax at the origin, whatever the box
//	lsq      minimises the root mean square error
//	minimax  minimises the largest error. Far from ρ = ½ the error at the origin is the largest; it does not
//	         depend on λ, so several λ are best, and FitLambda returns one of them
//
// FitLambda panics if the criterion is none of these.
func FitLambda(criterion string, n int, rho float64) float64 {
	slope := SlopeLambda(n, rho)
	start := kernel.Log(min(slope, 2)) // near the fitted ones; but for small ρ and many classes slope explodes
	switch criterion {
	case "slope":
		return slope
	case "lsq":
		rms := func(log float64) float64 { return Probit{kernel.Exp(log), rho}.rms(n) }
		return kernel.Exp(minimum(rms, start))
	case "minimax":
		return newExtremes(n, rho).minimax(start)
	}
	panic("softmax: no criterion " + criterion)
}

// BoxErrors returns the root of the mean of Σ_j e_j² over the box of [FitLambda], and the largest |e_j|
// found in it, where e_j is the error of the probability of class j.
func (p Probit) BoxErrors(n int) (rms, largest float64) {
	x := newExtremes(n, p.Rho)
	return p.rms(n), x.largest(p.Lambda, x.search(p.Lambda))
}

// half is half the side of the box of logits.
const half = 3

// minimum returns a local minimum of f near x. Its step doubles as long as f falls, and is halved where f
// rises to both sides.
func minimum(f func(float64) float64, x float64) float64 {
	const (
		tolerance = 1e-13 // of f
		patience  = 20    // steps without a fall by as much
	)
	type point struct{ x, f float64 }
	at := func(x float64) point { return point{x, f(x)} }
	for range 2 { // once more from the result
		near, far := at(x), at(x+0.1)
		for old, still := math.Inf(1), 0; ; still++ {
			if far.f < near.f {
				near, far = far, near
			}
			if near.f < old-tolerance {
				old, still = near.f, 0
			}
			if still == patience {
				break
			}
			next := at(near.x - (far.x - near.x))
			if next.f < near.f {
				if further := at(near.x - 2*(far.x-near.x)); further.f < next.f {
					next = further
				}
				far = next
				continue
			}
			if next.f < far.f {
				far = next
			}
			far = at(near.x + 0.5*(far.x-near.x))
		}
		x = near.x
	}
	return x
}
