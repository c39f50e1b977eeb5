package learner

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/core/readout"
)

// Network is a closed-form network, an ensemble or a bank of such, as a learner: it predicts the
// distribution of the label, p/Σp, and counts its steps.
type Network struct {
	bnn.Model
	Last  bnn.Update // of the last example
	seen  int        // examples
	steps Steps

	several [atOnce]bnn.Prediction // the latest predictions; all but the first are of an output layer

	noise float64 // process noise that is added after every so many examples
	every int

	// Of a bank:
	names  []string // of the settings of its members
	first  int      // see Tuning
	chosen string   // what Tolerant.Chosen returns after one member goes on alone
}

// SetProcessNoise lets the variance of every weight gain a fraction of its prior's
// before each example. Where covariances are full a step of this costs several
// times as much as an example, so they gain ten times the fraction before every
// tenth example, or as often as the fraction allows: what they gain in one step is
// at most the prior variance.
func (n *Network) SetProcessNoise(fraction float64, full bool) {
	n.noise, n.every = fraction, 1
	if full && fraction > 0 {
		n.every = max(1, min(10, int(1/fraction)))
		n.noise = min(1, float64(n.every)*fraction)
	}
}

// Observe learns an example.
func (n *Network) Observe(x []float64, class int) error {
	if n.seen++; n.noise > 0 && n.seen%n.every == 0 {
		for _, m := range n.Members() {
			if err := m.AddProcessNoise(n.noise); err != nil {
				return err
			}
		}
	}
	var err error
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
	if n.seen == n.first {
		n.settle()
	}
	return err
}

// settle fixes the weights of a bank, at the end of the first pass at the latest. If First is
// given, the member of the largest weight goes on alone.
func (n *Network) settle() {
	bank, ok := n.Model.(*bnn.Bank)
	if !ok {
		return
	}
	bank.Fix()
	if n.first > 0 {
		weights := bank.Weights()
		best := floats.MaxIdx(weights)
		n.chosen = n.choice(best, 1)
		n.Model = bank.Models()[best]
	}
}

// choice says which member of a bank is chosen, with its weight.
func (n *Network) choice(best int, weight float64) string {
	return fmt.Sprintf("%s: %.2g", n.names[best], weight)
}

// Chosen returns of a bank the name of the member of the largest weight and its weight:
// "prior_var=1: 0.97"; of another learner nothing.
func (c *Classifier) Chosen() string {
	n := c.Network()
	if n == nil {
		return ""
	}
	if bank, ok := n.Model.(*bnn.Bank); ok && n.names != nil {
		weights := bank.Weights()
		best := floats.MaxIdx(weights)
		return n.choice(best, weights[best])
	}
	return n.chosen
}

// Readout returns the output layer of a closed-form method with the key output, else nil.
func (c *Classifier) Readout() *readout.Layer {
	if n := c.Network(); n != nil {
		l, _ := n.Model.(*readout.Layer)
		return l
	}
	return nil
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

// newPrediction is what studies use of a prediction.
func newPrediction(p *bnn.Prediction) Prediction {
	a := Prediction{P: normalised(p), MutualInformation: math.NaN(), Members: layersOf(p)}
	if len(p.Members) > 0 {
		a.MutualInformation = p.MutualInformation()
	}
	return a
}

// predict returns the predictions of the inputs of an output layer, up to the first error, or of the only input.
func (n *Network) predict(x [][]float64) (all []Prediction, err error) {
	done := 0
	if l, ok := n.Model.(*readout.Layer); ok {
		done, err = l.PredictAll(n.several[:len(x)], x)
	} else if err = n.Model.Predict(&n.several[0], x[0]); err == nil {
		done = 1
	}
	for i := range done {
		all = append(all, newPrediction(&n.several[i]))
	}
	return all, err
}

// layersOf returns those of each network of a prediction that has a weight.
func layersOf(p *bnn.Prediction) (all [][]bnn.Layer) {
	if p.Layers != nil {
		return [][]bnn.Layer{p.Layers}
	}
	for k := range p.Members {
		if p.Weights[k] > 0 {
			all = append(all, layersOf(&p.Members[k])...)
		}
	}
	return all
}

// Steps returns what became of the examples.
func (n *Network) Steps() Steps { return n.steps }

var (
	_ Learner = (*Network)(nil)
	_ Stepper = (*Network)(nil)
)
