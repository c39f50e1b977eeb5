package learner

import (
	"fmt"
	"math"
	"slices"

	"closedform/core/bnn"
)

// Network is a closed-form network, an ensemble or a bank of such, or an output layer, as a learner: it
// predicts the distribution of the label, p/Σp, and counts its steps.
type Network struct {
	bnn.Model

	noise  float64 // process noise that is added before each example
	steps  Steps
	latest bnn.Prediction
}

// Observe learns an example.
func (n *Network) Observe(x []float64, class int) error {
	if n.noise > 0 {
		for _, m := range n.Members() {
			if err := m.AddProcessNoise(n.noise); err != nil {
				return err
			}
		}
	}
	u, err := n.Model.Observe(x, class)
	n.steps.count(u)
	return err
}

// Steps returns what became of the examples.
func (n *Network) Steps() Steps { return n.steps }

// Members returns the networks of the model; an output layer has none.
func (n *Network) Members() []*bnn.Network {
	switch m := n.Model.(type) {
	case *bnn.Network:
		return []*bnn.Network{m}
	case interface{ Members() []*bnn.Network }:
		return m.Members()
	}
	return nil
}

// members returns the members of an ensemble, which can learn each by itself.
func (n *Network) members() (members []Learner) {
	for _, m := range n.Members() {
		members = append(members, &Network{Model: m, noise: n.noise})
	}
	return members
}

// Predict sets p to the distribution of the label at x.
func (n *Network) Predict(p, x []float64) error { return n.set(p, n.Model.Predict, x) }

// Before is Predict for an example that is learned next, see [bnn.Sequential].
func (n *Network) Before(p, x []float64) error {
	if s, ok := n.Model.(bnn.Sequential); ok {
		return n.set(p, s.Before, x)
	}
	return n.Predict(p, x)
}

func (n *Network) set(p []float64, predict func(*bnn.Prediction, []float64) error, x []float64) error {
	q := &n.latest
	err := predict(q, x)
	if err == nil {
		copy(p, normalised(q))
	}
	return err
}

func normalised(q *bnn.Prediction) []float64 {
	p := make([]float64, len(q.P))
	for j, x := range q.P {
		p[j] = x / q.Sum()
	}
	return p
}

// predict returns the prediction of an input.
func (n *Network) predict(x []float64) (predictions []Prediction, err error) {
	q := &n.latest
	if err = n.Model.Predict(q, x); err != nil {
		return nil, err
	}
	p := Prediction{P: normalised(q), MutualInformation: math.NaN(), Members: layersOf(q)}
	if len(q.Members) > 0 {
		p.MutualInformation = q.MutualInformation()
	}
	return []Prediction{p}, nil
}

// layersOf returns those of each network of a prediction that has a weight.
func layersOf(p *bnn.Prediction) (layers [][]bnn.Layer) {
	if p.Layers != nil {
		return [][]bnn.Layer{p.Layers}
	}
	for k := range p.Members {
		if p.Weights[k] > 0 {
			layers = append(layers, layersOf(&p.Members[k])...)
		}
	}
	return layers
}

func (c *Classifier) bank() (b *bnn.Bank, ok bool) {
	if n := c.Network(); n != nil {
		b, ok = n.Model.(*bnn.Bank)
	}
	return b, ok
}

// Chosen returns the member of a bank that has the largest weight: "layers=[2 50 3] prior_var=0.1: 0.97"; of
// other learners nothing.
func (c *Classifier) Chosen() string {
	bank, ok := c.bank()
	if !ok {
		return ""
	}
	weights := bank.Weights()
	best := slices.Index(weights, slices.Max(weights))
	if m, ok := bank.Models()[best].(*bnn.Network); ok {
		cfg := m.Config()
		return fmt.Sprintf("layers=%v prior_var=%.2g: %.2g", cfg.Layers, cfg.PriorVar, weights[best])
	}
	return fmt.Sprintf("output layer: %.2g", weights[best])
}
