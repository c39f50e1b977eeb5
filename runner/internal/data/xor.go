package data

import (
	"math"
	"math/rand/v2"

	"closedform/core/gauss"
	"closedform/core/random"
	"closedform/internal/kernel"
)

// xor has four equally probable clusters, one at each corner of a square:
//
//	x = (s₁, s₂) + σ (ε₁, ε₂),  s_i = ±1 with probability ½,  ε_i ~ N(0, 1),
//	class 0 if s₁ s₂ = 1, class 1 if s₁ s₂ = −1.
//
// Given x the signs are independent with E s_i = tanh(x_i/σ²), so
//
//	P(class 0 | x) = (1 + tanh(x₁/σ²) tanh(x₂/σ²))/2
//	               = cosh((x₁+x₂)/σ²) / [cosh((x₁+x₂)/σ²) + cosh((x₁−x₂)/σ²)],
//
// the second without cancellation. The best rule, the sign of x₁ x₂, errs if the noise
// flips exactly one of the two signs: Bayes error 2q(1−q), q = Φ(−1/σ), to a relative
// error of 1e-12; at σ = 0.4, 1.23 %.
func xor(g Generator) *Task {
	return &Task{
		Classes: 2,
		Region:  square(1 + 3*g.Noise),
		draw: func(x []float64, rnd *rand.Rand) int {
			corner := rnd.IntN(4) // a bit for each sign
			x[0] = float64(2*(corner&1)-1) + g.Noise*random.Normal(rnd)
			x[1] = float64(corner&2-1) + g.Noise*random.Normal(rnd)
			return corner&1 ^ corner>>1
		},
		probabilities: func(dst, x []float64) bool {
			s := 1 / (g.Noise * g.Noise)
			// log cosh a − log cosh b, a, b = (x₁ ± x₂)/σ²; |a| − |b| without cancellation.
			gap := 2 * math.Min(math.Abs(x[0]), math.Abs(x[1])) * s
			if (x[0] < 0) != (x[1] < 0) {
				gap = -gap
			}
			a, b := math.Abs(x[0]+x[1])*s, math.Abs(x[0]-x[1])*s
			two(dst, -(gap + math.Log1p(kernel.Exp(-2*a)) - math.Log1p(kernel.Exp(-2*b))))
			return true
		},
		BayesError: func() float64 {
			q := gauss.CDF(-1 / g.Noise)
			return 2 * q * (1 - q)
		},
	}
}
