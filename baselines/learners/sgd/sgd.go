// Package sgd is a multi-layer perceptron of rectifiers with softmax output that learns one example after
// another by stochastic gradient descent, without a posterior.
package sgd

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/learners/mlp"
	"closedform/internal/field"
)

// Rule is the update of the weights w by the gradient g of −log p_class.
type Rule string

const (
	SGD  Rule = "sgd"  // w ← w − αg (Robbins and Monro 1951)
	Adam Rule = "adam" // see [mlp.Adam]
)

// Words returns the words of all rules.
func (Rule) Words() []string { return field.Words(SGD, Adam) }

// Config describes a network. The zero value of every field is its documented default.
type Config struct {
	Rule         Rule    `toml:"rule" default:"sgd"`              // how the gradient moves the weights
	LearningRate float64 `toml:"learning_rate" range:"1e-12 1e6"` // size of a step; default 0.01, "adam" 0.001
}

// Validate fills in the learning rate.
func (c *Config) Validate() error {
	c.LearningRate = cmp.Or(c.LearningRate, map[Rule]float64{SGD: 0.01, Adam: 0.001}[c.Rule])
	return nil
}

// Model is a network and its training state.
type Model struct {
	cfg     Config
	network *mlp.Network
	pass    *mlp.Pass
	weights []float64
	grad    []float64 // scratch space: the gradient of one neuron
	adam    *mlp.Adam // nil for SGD
}

// New returns a network with layers as [mlp.Start] has them, and weights drawn from src (He et al. 2015).
func New(cfg Config, layers []int, src rand.Source) (*Model, error) {
	network, rnd, err := mlp.Start(layers, &cfg, src)
	if err != nil {
		return nil, err
	}
	n := network.Weights()
	m := &Model{cfg: cfg, network: network, pass: network.NewPass(), weights: make([]float64, n)}
	network.Initialise(m.weights, rnd)
	if cfg.Rule == Adam {
		m.grad, m.adam = make([]float64, slices.Max(layers)+1), mlp.NewAdam(n)
	}
	return m, nil
}

// Observe updates the weights by one example of the given class (from 0). It allocates nothing.
func (m *Model) Observe(x []float64, class int) error {
	err := cmp.Or(field.Class(class, m.network.Outputs()), m.network.Logits(m.pass, m.weights, x))
	if err != nil {
		return err
	}
	m.pass.SetScore(class)
	m.network.Deltas(m.pass, m.weights)
	if m.adam != nil {
		m.adam.Begin(m.cfg.LearningRate)
	}
	for l, w := range m.network.Layers {
		y := m.pass.Input(l)
		for j, d := range m.pass.Delta(l) { // −log p_class has the derivatives d·y by the weights of neuron j
			if m.adam != nil {
				m.adam.Move(w.Offset+j*w.In, w.Neuron(m.weights, j), floats.ScaleTo(m.grad[:w.In], d, y))
			} else if d != 0 { // the unit is on
				floats.AddScaled(w.Neuron(m.weights, j), -m.cfg.LearningRate*d, y)
			}
		}
	}
	return nil
}

// Predict sets p to the softmax of the logits at x.
func (m *Model) Predict(p, x []float64) error { return m.network.Softmax(p, m.pass, m.weights, x) }
