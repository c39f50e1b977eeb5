package mlp

import (
	"math"
	"math/rand/v2"

	"closedform/core/random"
	"closedform/internal/kernel"
)

// Descent is how long and how fast Adam runs over minibatches of 32 examples. It
// is a part of the configuration of its owner.
type Descent struct {
	Step   float64 `toml:"step" default:"0.01" range:"1e-12 1e6"` // size of the first step; it falls linearly to zero
	Epochs int     `toml:"epochs" default:"100" range:"1 100000"` // passes through the examples
}

const batchSize = 32

// Run descends from the given weights, which it overwrites. Every epoch is a random order of the
// examples, cut into batches. gradient adds the derivatives of the loss of a batch to grad.
func (d Descent) Run(weights []float64, examples int, rnd *rand.Rand, gradient func(grad []float64, batch []int)) {
	n := len(weights)
	adam, grad := NewAdam(n), make([]float64, n)
	order := make([]int, examples)
	for i := range order {
		order[i] = i
	}
	steps := d.Epochs * ((examples + batchSize - 1) / batchSize)
	step := 0
	for range d.Epochs {
		rnd.Shuffle(examples, func(i, j int) { order[i], order[j] = order[j], order[i] })
		for start := 0; start < examples; start += batchSize {
			clear(grad)
			gradient(grad, order[start:min(start+batchSize, examples)])
			adam.Begin(d.Step * (1 - float64(step)/float64(steps)))
			adam.Move(0, weights, grad)
			step++
		}
	}
}

// Initialise draws weights from N(0, 2/inputs), which keeps the scale of what flows
// through rectifiers (He et al., "Delving deep into rectifiers", ICCV 2015), and sets
// the biases to zero. The network must have a bias.
func (n *Network) Initialise(weights []float64, rnd *rand.Rand) {
	for _, w := range n.Layers {
		sd := math.Sqrt(2 / float64(w.In-1))
		for j := range w.Out {
			neuron := w.Neuron(weights, j)
			for i := range neuron {
				neuron[i] = sd * random.Normal(rnd)
			}
			neuron[w.In-1] = 0
		}
	}
}

// Adam is gradient descent whose step is scaled, weight by weight, by running
// means of the derivatives g and of their squares (Kingma and Ba, "Adam: a method
// for stochastic optimization", ICLR 2015, Algorithm 1),
//
//	m ← β₁m + (1−β₁)g,   v ← β₂v + (1−β₂)g²,
//	w ← w − α m̂/(√v̂ + ε),   m̂ = m/(1−β₁ᵗ),   v̂ = v/(1−β₂ᵗ),
//
// at step t = 1, 2, …, with the authors' β₁ = 0.9, β₂ = 0.999 and ε = 1e-8.
type Adam struct {
	mean, square   []float64 // m and v
	power1, power2 float64   // β₁ᵗ, β₂ᵗ
	rate, unbias   float64   // α/(1−β₁ᵗ), 1/(1−β₂ᵗ)
}

var beta1, beta2 = 0.9, 0.999 // no constants, whose 1 − β₁ has another last digit

var decay = [4]float64{beta1, 1 - beta1, beta2, 1 - beta2}

// NewAdam returns Adam before its first step, for so many weights.
func NewAdam(weights int) *Adam {
	return &Adam{mean: make([]float64, weights), square: make([]float64, weights), power1: 1, power2: 1}
}

// Begin begins a step of the size rate, which is α. Move is to move each weight once in it.
func (a *Adam) Begin(rate float64) {
	a.power1 *= beta1
	a.power2 *= beta2
	a.rate, a.unbias = rate*(1/(1-a.power1)), 1/(1-a.power2)
}

// Move moves the weights from number from on by their gradient.
func (a *Adam) Move(from int, weights, grad []float64) {
	kernel.Adam(weights[:len(grad)], a.mean[from:], a.square[from:], grad, &decay, a.rate, a.unbias)
}
