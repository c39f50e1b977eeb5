package data

import (
	"math"
	"math/rand/v2"

	"closedform/internal/kernel"
)

// turns returns how many periods have passed before example i, without whole ones.
func (g Generator) turns(i int) float64 { return float64(i%g.Period) / float64(g.Period) }

// noisy returns class 1 if positive, else class 0, and with probability σ the other one.
func noisy(positive bool, sigma float64, rnd *rand.Rand) int {
	if positive != (rnd.Float64() < sigma) {
		return 1
	}
	return 0
}

// sea has concepts that change abruptly (Street and Kim, "A streaming ensemble algorithm (SEA) for large-scale
// classification", KDD 2001): three inputs x ~ U[0, 10]³, class 1 if x₁ + x₂ ≤ θ, else class 0. θ is 8, 9, 7
// and 9.5 in turn, each for a period. A share σ of the labels is wrong, which is the error of the best rule.
func sea(g Generator) *Task {
	theta := []float64{8, 9, 7, 9.5}
	return &Task{
		Inputs: 3, Classes: 2,
		draw: func(i int, x []float64, rnd *rand.Rand) int {
			for k := range x {
				x[k] = 10 * rnd.Float64()
			}
			return noisy(x[0]+x[1] <= theta[i/g.Period%len(theta)], g.Noise, rnd)
		},
	}
}

// hyperplane has a boundary that turns about the centre of the inputs, once in a period of T examples (after
// Hulten, Spencer and Domingos, "Mining time-changing data streams", KDD 2001): ten inputs x ~ U[0, 1]¹⁰,
//
//	class 1 if Σ_k w_k (x_k − ½) > 0, else class 0,  w = (cos φ, sin φ, cos φ, …, sin φ),  φ = 2πi/T.
//
// A share σ of the labels is wrong, which is the error of the best rule.
func hyperplane(g Generator) *Task {
	return &Task{
		Inputs: 10, Classes: 2,
		draw: func(i int, x []float64, rnd *rand.Rand) int {
			var w [2]float64
			polar(w[:], 1, 2*math.Pi*g.turns(i))
			score := 0.
			for k := range x {
				x[k] = rnd.Float64()
				score += float64(w[k%2] * (x[k] - 0.5))
			}
			return noisy(score > 0, g.Noise, rnd)
		},
	}
}

const clusters = 4

// clustered has four Gaussian clusters around centres on the unit circle:
//
//	x = (cos 2πa, sin 2πa) + σ (ε₁, ε₂),  ε_i ~ N(0, 1),  a = k/4 + r, class (k + s) mod 4.
//
// next returns the cluster k of example i, how far r the centres have run around the circle, in turns, and by
// how many classes s the labels have moved on.
func clustered(g Generator, next func(i int, rnd *rand.Rand) (k int, r float64, s int)) *Task {
	return &Task{
		Inputs: 2, Classes: clusters,
		Region: square(1 + 3*g.Noise),
		draw: func(i int, x []float64, rnd *rand.Rand) int {
			k, r, s := next(i, rnd)
			polar(x, 1, 2*math.Pi*(float64(k)/clusters+r))
			addNoise(x, g.Noise, rnd)
			return (k + s) % clusters
		},
	}
}

// gaussians has four equally probable classes, the Gaussians of [clustered] with r = s = 0. Nothing changes.
// The best rule takes the nearest centre. Its error is 1 − Φ(1/(√2σ))², 7.56 % at σ = 0.4.
func gaussians(g Generator) *Task {
	t := clustered(g, func(_ int, rnd *rand.Rand) (int, float64, int) { return rnd.IntN(clusters), 0, 0 })
	// As all centres have the same distance from 0, P(class k | x) ∝ exp(c_k·x/σ²).
	t.Probabilities = sectors(Generator{Arms: clusters, Noise: g.Noise * g.Noise}).Probabilities
	return t
}

// movingGaussians is [gaussians] with centres that run around the circle, once in a period of T examples:
// r = i/T. The error of the best rule at any time is that of gaussians.
func movingGaussians(g Generator) *Task {
	return clustered(g, func(i int, rnd *rand.Rand) (int, float64, int) {
		return rnd.IntN(clusters), g.turns(i), 0
	})
}

// flippingLabels is [gaussians] with labels that move on, by one class after each period of T examples:
// s = ⌊i/T⌋. The error of the best rule at any time is that of gaussians.
func flippingLabels(g Generator) *Task {
	return clustered(g, func(i int, rnd *rand.Rand) (int, float64, int) {
		return rnd.IntN(clusters), 0, i / g.Period
	})
}

// driftingShares is [gaussians] with classes that are frequent in turn, within a period of T examples:
//
//	P(class k) ∝ exp(2 cos 2π(i/T − k/4)).
//
// The shares run from 1.4 % to 77.6 %. The best rule knows them. Its error at σ = 0.4, by Monte Carlo, is
// 4.81 % at any time.
func driftingShares(g Generator) *Task {
	return clustered(g, func(i int, rnd *rand.Rand) (int, float64, int) {
		share := make([]float64, clusters)
		for k := range share {
			share[k] = kernel.Exp(2 * math.Cos(2*math.Pi*(g.turns(i)-float64(k)/clusters)))
		}
		return pick(share, rnd.Float64()*kernel.Sum(share)), 0, 0
	})
}
