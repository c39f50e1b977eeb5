package slope

import (
	"math"

	"closedform/core/softmax"
	"closedform/internal/kernel"
)

// MostRho is the largest ρ for which a fit takes only seconds.
const MostRho = 0.99

const half = 3 // half of the width of the box

func fit(criterion string, n int, rho float64) float64 {
	slope := softmax.SlopeLambda(n, rho)
	start := kernel.Log(min(slope, 2)) // the slope explodes for small ρ and many classes
	switch criterion {
	case "slope":
		return slope
	case "lsq":
		rms := func(log float64) float64 { return boxRMS(softmax.Probit{Lambda: kernel.Exp(log), Rho: rho}, n) }
		return kernel.Exp(minimum(rms, start))
	case "minimax":
		return newExtremes(n, rho).minimax(start)
	}
	panic("slope: no criterion " + criterion)
}

// BoxErrors returns the root of the mean of Σ_j e_j² over the box of [Lambda.Value], and the largest |e_j|
// found, where e_j is the error of the probability of class j out of n. rms is NaN for λ so large that the
// integral would take minutes, beyond 40 for ρ = 0.
func BoxErrors(p softmax.Probit, n int) (rms, largest float64) {
	x := newExtremes(n, p.Rho)
	return boxRMS(p, n), x.largest(p.Lambda, x.search(p.Lambda))
}

// minimum returns a local minimum of f near x. The step doubles as f falls, halves if it rises both ways.
func minimum(f func(float64) float64, x float64) float64 {
	const (
		tolerance = 1e-13 // of f
		patience  = 20    // steps without a fall by as much
	)
	type point struct{ x, f float64 }
	value := func(x float64) point { return point{x, f(x)} }
	for range 2 { // once more from the result
		near, far := value(x), value(x+0.1)
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
			next := value(near.x - (far.x - near.x))
			if next.f < near.f {
				if further := value(near.x - 2*(far.x-near.x)); further.f < next.f {
					next = further
				}
				far = next
				continue
			}
			if next.f < far.f {
				far = next
			}
			far = value(near.x + 0.5*(far.x-near.x))
		}
		x = near.x
	}
	return x
}
