package mlp

import (
	"fmt"
	"math"
)

// Adam is gradient descent whose step is scaled, weight by weight, by running
// means of the derivatives g and of their squares (Kingma and Ba, "Adam: a method
// for stochastic optimization", ICLR 2015, Algorithm 1),
//
//	m ← β₁m + (1−β₁)g,   v ← β₂v + (1−β₂)g²,
//	w ← w − α m̂/(√v̂ + ε),   m̂ = m/(1−β₁ᵗ),   v̂ = v/(1−β₂ᵗ),
//
// at step t = 1, 2, …, with β₁ = 0.9, β₂ = 0.999 and ε = 1e-8.
type Adam struct {
	mean, square   []float64
	power1, power2 float64 // β₁ᵗ, β₂ᵗ
}

const (
	adamBeta1   = 0.9
	adamBeta2   = 0.999
	adamEpsilon = 1e-8
)

// NewAdam returns an Adam for n weights that has made no step.
func NewAdam(n int) *Adam {
	return &Adam{mean: make([]float64, n), square: make([]float64, n), power1: 1, power2: 1}
}

// Step moves the weights down the gradient, with the step size rate, which is α.
// It panics if a length is not the number of weights.
func (a *Adam) Step(weights, grad []float64, rate float64) {
	if len(weights) != len(a.mean) || len(grad) != len(a.mean) {
		panic(fmt.Sprintf("mlp: %d weights and %d derivatives for an Adam of %d", len(weights), len(grad), len(a.mean)))
	}
	a.power1 *= adamBeta1
	a.power2 *= adamBeta2
	c1, c2 := 1/(1-a.power1), 1/(1-a.power2)
	for i, g := range grad {
		m := adamBeta1*a.mean[i] + (1-adamBeta1)*g
		v := adamBeta2*a.square[i] + (1-adamBeta2)*g*g
		a.mean[i], a.square[i] = m, v
		weights[i] -= rate * c1 * m / (math.Sqrt(c2*v) + adamEpsilon)
	}
}
