package mlp

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Descent is how long and how fast Adam runs over minibatches.
type Descent struct {
	Epochs int     // passes through the examples; zero stands for 100
	Batch  int     // examples per step; zero stands for 32
	Rate   float64 // size of the first step; it falls linearly to zero; zero stands for 0.01
}

// WithDefaults returns the descent with its defaults filled in, or an error that
// names the field, of a field Descent of the owner, and what it allows.
func (d Descent) WithDefaults(owner string) (Descent, error) {
	if d.Epochs == 0 {
		d.Epochs = 100
	}
	if d.Batch == 0 {
		d.Batch = 32
	}
	if d.Rate == 0 {
		d.Rate = 0.01
	}
	if d.Epochs < 0 {
		return d, fmt.Errorf("%s: Descent.Epochs = %d: need at least 1", owner, d.Epochs)
	}
	if d.Batch < 0 {
		return d, fmt.Errorf("%s: Descent.Batch = %d: need at least 1", owner, d.Batch)
	}
	if !(d.Rate > 0 && d.Rate <= math.MaxFloat64) {
		return d, fmt.Errorf("%s: Descent.Rate = %g: need a positive finite number", owner, d.Rate)
	}
	return d, nil
}

// Run descends from the given weights, which it overwrites. Every epoch is a
// random order of the examples, cut into batches of equal size but for the last.
// gradient sets grad, which it is handed as zeros, to the derivatives of the loss
// of a batch. The step falls to zero because the noise of the batches would
// otherwise keep the weights from coming to rest. Without examples Run does
// nothing.
func (d Descent) Run(weights []float64, examples int, rnd *rand.Rand, gradient func(grad []float64, batch []int)) {
	adam, grad := NewAdam(len(weights)), make([]float64, len(weights))
	order := make([]int, examples)
	for i := range order {
		order[i] = i
	}
	steps := d.Epochs * ((examples + d.Batch - 1) / d.Batch)
	step := 0
	for range d.Epochs {
		rnd.Shuffle(examples, func(i, j int) { order[i], order[j] = order[j], order[i] })
		for start := 0; start < examples; start += d.Batch {
			clear(grad)
			gradient(grad, order[start:min(start+d.Batch, examples)])
			adam.Step(weights, grad, d.Rate*(1-float64(step)/float64(steps)))
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
				neuron[i] = sd * rnd.NormFloat64()
			}
			neuron[w.In-1] = 0
		}
	}
}
