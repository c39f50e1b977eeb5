package learner

import (
	"fmt"
	"math"
	"slices"

	"closedform/core/bnn"
	"closedform/core/readout"
)

// Network is a closed-form network, an ensemble or a bank of such, or an output layer, as a learner: it
// predicts the distribution of the label, p/Σp, and counts its steps.
type Network struct {
	bnn.Model
	Last bnn.Update // of the last example

	observed int // examples
	steps    Steps
	several  [atOnce]bnn.Prediction // the latest predictions; all but the first are of an output layer

	noise float64 // process noise that is added before every so many examples
	every int
}

// setProcessNoise lets the variance of every weight gain a fraction of its prior's before each example. Where
// covariances are full a step of this costs several times as much as an example, so they gain ten times the
// fraction before every tenth example, or as often as the fraction allows: what they gain in one step is at
// most the prior variance.
func (n *Network) setProcessNoise(fraction float64) {
	n.noise, n.every = fraction, 1
	full := func(m *bnn.Network) bool { return slices.Contains(m.Config().Covariance, bnn.Full) }
	if fraction > 0 && slices.ContainsFunc(n.Members(), full) {
		n.every = max(1, min(10, int(1/fraction)))
		n.noise = min(1, float64(n.every)*fraction)
	}
}

// Observe learns an example.
func (n *Network) Observe(x []float64, class int) (err error) {
	if n.observed++; n.noise > 0 && n.observed%n.every == 0 {
		for _, m := range n.Members() {
			if err := m.AddProcessNoise(n.noise); err != nil {
				return err
			}
		}
	}
	n.Last, err = n.Model.Observe(x, class)
	if n.Last.Indefinite {
		n.steps.Indefinite++
	}
	switch n.Last.Action {
	case bnn.Skipped:
		n.steps.Skipped++
	case bnn.Projected:
		n.steps.Projected++
	}
	n.steps.Floored += n.Last.Floored
	n.steps.Capped += n.Last.Capped
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
		members = append(members, &Network{Model: m, noise: n.noise, every: n.every})
	}
	return members
}

// fix leaves the weights of a bank as they are after the first pass.
func (n *Network) fix() {
	if bank, ok := n.Model.(*bnn.Bank); ok {
		bank.Fix()
	}
}

// Predict sets p to the distribution of the label at x.
func (n *Network) Predict(p, x []float64) error {
	err := n.Model.Predict(&n.several[0], x)
	if err == nil {
		copy(p, normalised(&n.several[0]))
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

// predict returns the predictions of the inputs of an output layer, up to the first error, or of the only
// input.
func (n *Network) predict(x [][]float64) (predictions []Prediction, err error) {
	done := 0
	if l, ok := n.Model.(*readout.Layer); ok {
		done, err = l.PredictAll(n.several[:len(x)], x)
	} else if err = n.Model.Predict(&n.several[0], x[0]); err == nil {
		done = 1
	}
	for i := range done {
		q := &n.several[i]
		p := Prediction{P: normalised(q), MutualInformation: math.NaN(), Members: layersOf(q)}
		if len(q.Members) > 0 {
			p.MutualInformation = q.MutualInformation()
		}
		predictions = append(predictions, p)
	}
	return predictions, err
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

// Chosen returns the member of a bank that has the largest weight: "layers=[2 50 3] prior_var=0.1: 0.97"; of
// other learners nothing.
func (c *Classifier) Chosen() string {
	if n := c.Network(); n != nil {
		if bank, ok := n.Model.(*bnn.Bank); ok {
			weights := bank.Weights()
			best := slices.Index(weights, slices.Max(weights))
			network, ok := bank.Models()[best].(*bnn.Network)
			if !ok {
				return fmt.Sprintf("layer: %.2g", weights[best])
			}
			cfg := network.Config()
			return fmt.Sprintf("layers=%v prior_var=%.2g: %.2g", cfg.Layers, cfg.PriorVar, weights[best])
		}
	}
	return ""
}
