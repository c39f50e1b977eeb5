package data

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/integrate/quad"

	"closedform/internal/kernel"
)

const (
	half   = 5        // the side of the square of the logistic task, halved
	w1, w2 = 0.6, 0.8 // the direction in which its classes change, a unit vector
)

// logistic is a task for one neuron, in the manner of Huber, "Bayesian Perceptron:
// Towards fully Bayesian Neural Networks" (CDC 2020): a linear score without bias, and
// labels that are uncertain near the line where it is 0:
//
//	x ~ U[−5, 5]²,  P(class 1 | x) = 1/(1 + exp(−s/σ)),  s = 0.6 x₁ + 0.8 x₂.
//
// The best rule is the sign of s. Its density, the convolution of the uniform ones on
// [−3, 3] and [−4, 4], is g(s) = min(1/8, (7−|s|)/48), and
//
//	Bayes error = 2 ∫₀⁷ g(s)/(1 + exp(s/σ)) ds
//
// by Gauss–Legendre quadrature, to a relative error of 1e-13; at σ = 1, 15.9 %.
func logistic(g Generator) *Task {
	return &Task{
		Classes: 2,
		Region:  square(half),
		draw: func(x []float64, rnd *rand.Rand) int {
			x[0] = half * (2*rnd.Float64() - 1)
			x[1] = half * (2*rnd.Float64() - 1)
			if rnd.Float64()*(1+kernel.Exp(-score(x)/g.Noise)) < 1 {
				return 1
			}
			return 0
		},
		probabilities: func(dst, x []float64) bool {
			two(dst, score(x)/g.Noise)
			return true
		},
		BayesError: func() float64 {
			const flat, end = half * (w2 - w1), half * (w2 + w1)
			f := func(s float64) float64 {
				density := min(1/(2*half*w2), (end-s)/(4*half*half*w1*w2))
				return density / (1 + kernel.Exp(s/g.Noise))
			}
			// Panels of some noise widths, as far as the integrand is not 0, and up to
			// the corner of g.
			var sum float64
			for low := 0.; low < min(end, 40*g.Noise); {
				high := min(low+4*g.Noise, end)
				if low < flat {
					high = min(high, flat)
				}
				sum += quad.Fixed(f, low, high, 24, quad.Legendre{}, 0)
				low = high
			}
			return 2 * sum
		},
	}
}

func score(x []float64) float64 { return w1*x[0] + w2*x[1] }
