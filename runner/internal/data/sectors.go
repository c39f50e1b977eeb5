package data

import (
	"math"
	"math/rand/v2"
	"slices"
)

// sectors has K classes with linear scores in evenly spaced directions on the square of
// the wedges, so that a network without hidden layers and bias can be right:
//
//	x ~ U[−2, 2]²,  P(class k | x) ∝ exp(u_k·x/σ),  u_k = (cos 2πk/K, sin 2πk/K).
//
// The most probable class is that of the nearest direction. As σ → 0 it is certain.
//
// The Bayes error is the mean of 1 − max_k P(class k | x) by the midpoint rule on 1000²
// points, to about 1e-5 for σ ≥ 0.05; at K = 5 and σ = 0.7 it is 42.0 %.
func sectors(g Generator) *Task {
	const half = 2
	probabilities := func(dst, x []float64) bool {
		for k := range dst {
			sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(g.Arms))
			dst[k] = (cos*x[0] + sin*x[1]) / g.Noise
		}
		normalize(dst)
		return true
	}
	return &Task{
		Classes:       g.Arms,
		Region:        square(half),
		probabilities: probabilities,
		draw: func(x []float64, rnd *rand.Rand) int {
			for i := range x {
				x[i] = half * (2*rnd.Float64() - 1)
			}
			p, u := make([]float64, g.Arms), rnd.Float64()
			probabilities(p, x)
			class := 0
			for ; class < g.Arms-1 && u >= p[class]; class++ {
				u -= p[class]
			}
			return class
		},
		BayesError: func() (sum float64) {
			const n = 1000
			p := make([]float64, g.Arms)
			for i := range n * n {
				probabilities(p, []float64{half * (float64(2*(i%n)+1)/n - 1), half * (float64(2*(i/n)+1)/n - 1)})
				sum += (1 - slices.Max(p)) / (n * n)
			}
			return sum
		},
	}
}
