package gauss

import "closedform/core/kernel"

// maxTail is an argument from which on J₂(t)/J₁(t) is 2/t to full precision.
const maxTail = 1e9

// excessRatio returns J₂(t)/J₁(t) for any t ≥ 0.
func excessRatio(t float64) float64 {
	if t > maxTail {
		return 2 / t
	}
	p, q := kernel.Tail(t)
	return p / q
}
