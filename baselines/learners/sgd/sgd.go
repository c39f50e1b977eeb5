// Package sgd is a multi-layer perceptron of rectifiers with softmax output that learns one
// example after another by stochastic gradient descent, without a posterior.
package sgd

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/learners/mlp"
	"closedform/internal/field"
)

// Rule says how the gradient g of −log p_class moves the weights w.
type Rule string

const (
	SGD      Rule = "sgd"      // w ← w − αg (Robbins and Monro 1951)
	Momentum Rule = "momentum" // v ← γv + g, w ← w − αv (Polyak 1964)
	Adam     Rule = "adam"     // see [mlp.Adam]
)

// Config describes a network. The zero value of every field but Layers is its documented default.
type Config struct {
	Layers       []int   `toml:"-"` // as for mlp.Start; every layer has a bias
	Rule         Rule    `toml:"rule" default:"sgd"`
	LearningRate float64 `toml:"learning_rate" range:"1e-12 1e6"` // α; zero stands for 0.001, of SGD 0.01

	// Members is the number of networks of an ensemble, of which New makes one; zero stands for 1.
	Members int `toml:"members,omitempty" json:",omitempty"`
}

const momentum = 0.9 // γ

// Validate returns an error of package field if a word is not allowed, and fills in the learning rate.
func (c *Config) Validate() error {
	c.LearningRate = cmp.Or(c.LearningRate, map[Rule]float64{SGD: 0.01}[c.Rule], 0.001)
	return field.OneOf("rule", c.Rule, SGD, Momentum, Adam)
}

// Model is a network and what it has learnt.
type Model struct {
	cfg     Config
	network *mlp.Network
	pass    *mlp.Pass
	weights []float64
	grad    []float64 // velocity of Momentum; for Adam room for the gradient of a neuron
	adam    *mlp.Adam
}

// New returns a network with weights drawn from src (He et al. 2015).
func New(cfg Config, src rand.Source) (*Model, error) {
	network, rnd, err := mlp.Start(cfg.Layers, &cfg, src)
	if err != nil {
		return nil, err
	}
	n := network.Weights()
	m := &Model{cfg: cfg, network: network, pass: network.NewPass(), weights: make([]float64, n)}
	network.Initialise(m.weights, rnd)
	switch cfg.Rule {
	case Momentum:
		m.grad = make([]float64, n)
	case Adam:
		m.grad, m.adam = make([]float64, slices.Max(cfg.Layers)+1), mlp.NewAdam(n)
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
		for j, d := range m.pass.Delta(l) {
			m.move(w, j, d, m.pass.Input(l))
		}
	}
	return nil
}

// move moves the weights of a neuron, by which −log p_class has the derivatives d·y.
func (m *Model) move(layer mlp.Layer, j int, d float64, y []float64) {
	weights, rate := layer.Neuron(m.weights, j), m.cfg.LearningRate
	switch m.cfg.Rule {
	case SGD:
		if d != 0 { // the unit is on
			floats.AddScaled(weights, -rate*d, y)
		}
	case Momentum:
		velocity := layer.Neuron(m.grad, j)
		floats.Scale(momentum, velocity)
		floats.AddScaled(velocity, d, y)
		floats.AddScaled(weights, -rate, velocity)
	case Adam:
		grad := floats.ScaleTo(m.grad[:layer.In], d, y)
		m.adam.Move(layer.Offset+j*layer.In, weights, grad)
	}
}

// Predict sets p to the softmax of the logits at x.
func (m *Model) Predict(p, x []float64) error { return m.network.Softmax(p, m.pass, m.weights, x) }
