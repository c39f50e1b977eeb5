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

	names []string // of the settings of the members of a bank
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
	return err
}

// settle fixes the weights of a bank, at the end of the first pass.
func (n *Network) settle() {
	if bank, ok := n.Model.(*bnn.Bank); ok {
		bank.Fix()
	}
}

// Chosen returns of a bank the name of the member of the largest weight and its weight:
// "prior_var=1: 0.97"; of another learner nothing.
func (t *Tolerant) Chosen() string {
	n, ours := t.Learner.(*Network)
	if !ours {
		return ""
	}
	bank, ok := n.Model.(*bnn.Bank)
	if !ok {
		return ""
	}
	weights := bank.Weights()
	best := floats.MaxIdx(weights)
	return fmt.Sprintf("%s: %.2g", n.names[best], weights[best])
}

// Predict sets p to the distribution of the label at x.
func (n *Network) Predict(p, x []float64) error {
	err := n.Model.Predict(&n.several[0], x)
	if err == nil {
		copy(p, normalised(&n.several[0]))
	}
	return err
}

func normalised(of *bnn.Prediction) []float64 {
	p := make([]float64, len(of.P))
	for j, pj := range of.P {
		p[j] = pj / of.Sum()
	}
	return p
}

// answer returns what a network says by a prediction.
func answer(p *bnn.Prediction) Answer {
	a := Answer{P: normalised(p), MutualInformation: math.NaN(), Members: layersOf(p)}
	if len(p.Members) > 0 {
		a.MutualInformation = p.MutualInformation()
	}
	return a
}

// answers returns those about the inputs of an output layer, up to the first error, or about the only input.
func (n *Network) answers(x [][]float64) (all []Answer, err error) {
	done := 0
	if l, ok := n.Model.(*readout.Layer); ok {
		done, err = l.PredictAll(n.several[:len(x)], x)
	} else if err = n.Model.Predict(&n.several[0], x[0]); err == nil {
		done = 1
	}
	for i := range done {
		all = append(all, answer(&n.several[i]))
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
