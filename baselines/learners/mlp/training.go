package mlp

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"closedform/core/random"
	"closedform/internal/field"
)

// Examples returns copies of the inputs with a trailing 1. There must be one class per example. The error is
// that of [field.Class] or [field.Input].
func (n *Network) Examples(x [][]float64, class []int) (inputs [][]float64, err error) {
	for k, example := range x {
		if err := cmp.Or(field.Class(class[k], n.Outputs()), field.Input(example, n.Inputs)); err != nil {
			return nil, fmt.Errorf("example %d: %w", k, err)
		}
		inputs = append(inputs, append(slices.Clone(example), 1))
	}
	return inputs, nil
}

// CheckProbabilities panics unless p has the length classes.
func CheckProbabilities(p []float64, classes int) {
	if len(p) != classes {
		panic(fmt.Sprintf("mlp: probabilities of length %d; the model has %d classes", len(p), classes))
	}
}

// Start returns a new network with a bias in every layer and its random numbers, and resolves cfg by
// [field.Resolve]. layers are the numbers of inputs, of hidden rectifiers by layer, and of 2 or more classes.
func Start(layers []int, cfg any, src rand.Source) (*Network, *rand.Rand, error) {
	if src == nil {
		panic("mlp: nil source of randomness")
	}
	if len(layers) < 2 || slices.Min(layers) < 1 || layers[len(layers)-1] < 2 {
		return nil, nil, fmt.Errorf("layers %v: need at least inputs and classes, at least 1 neuron in every "+
			"layer, at least 2 classes", layers)
	}
	return New(layers, true), rand.New(src), field.Resolve(cfg)
}

// Initialise draws weights from N(0, 2/inputs) (He et al., "Delving deep into rectifiers", ICCV 2015), and
// sets biases to zero. The network must have a bias.
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

// Adam is gradient descent with steps scaled by running means of each derivative g and its square (Kingma and
// Ba, "Adam: a method for stochastic optimization", ICLR 2015): m ← β₁m + (1−β₁)g, v ← β₂v + (1−β₂)g², w ← w
// − α m̂/(√v̂ + ε) with m̂ = m/(1−β₁ᵗ), v̂ = v/(1−β₂ᵗ) at step t = 1, 2, …, β₁ = 0.9, β₂ = 0.999 and ε =
// 1e-8.
type Adam struct {
	mean, square   []float64 // running means m and v
	power1, power2 float64   // β₁ᵗ, β₂ᵗ
	rate, unbias   float64   // α/(1−β₁ᵗ), 1/(1−β₂ᵗ)
}

var beta1, beta2 = 0.9, 0.999 // variables, as 1 − β₁ of constants is rounded differently

var decay = [4]float64{beta1, 1 - beta1, beta2, 1 - beta2}

// NewAdam returns Adam for the given number of weights, before its first step.
func NewAdam(weights int) *Adam {
	return &Adam{mean: make([]float64, weights), square: make([]float64, weights), power1: 1, power2: 1}
}

// Begin begins a step of size α = rate, in which Move must move each weight once.
func (a *Adam) Begin(rate float64) {
	a.power1 *= beta1
	a.power2 *= beta2
	a.rate, a.unbias = rate*(1/(1-a.power1)), 1/(1-a.power2)
}

// Move moves the weights from index from on by their gradient.
func (a *Adam) Move(from int, weights, grad []float64) {
	mean, square := a.mean[from:], a.square[from:]
	for i, g := range grad {
		m, v := decay[0]*mean[i]+decay[1]*g, decay[2]*square[i]+decay[3]*g*g
		mean[i], square[i] = m, v
		weights[i] -= a.rate * m / (math.Sqrt(a.unbias*v) + 1e-8)
	}
}
