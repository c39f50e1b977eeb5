package learner

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/core/bnn"
)

// Network is a closed-form network, an ensemble or a bank of such, as a learner: it predicts the
// distribution of the label, p/Σp, and counts its steps.
type Network struct {
	bnn.Model
	Last  bnn.Update // of the last example
	seen  int        // examples
	steps Steps

	prediction bnn.Prediction
	several    []bnn.Prediction // of each

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
		n.chosen = n.choice(bank, best, 1)
		n.Model = bank.Models()[best]
	}
}

// choice says which member of a bank is chosen, with its weight, and how many broke down.
func (n *Network) choice(bank *bnn.Bank, best int, weight float64) string {
	text, state, broken := fmt.Sprintf("%s: %.2g", n.names[best], weight), bank.State(), 0
	for k := range n.names {
		if state.Dropped(k) {
			broken++
		}
	}
	if state.Failed != "" { // the last member keeps its weight
		broken++
	}
	if broken > 0 {
		text += fmt.Sprintf(", %d of %d broke down", broken, len(n.names))
	}
	return text
}

// Chosen returns of a bank the name of the member of the largest weight, its weight, and how many
// broke down: "prior_var=1: 0.97, 2 of 8 broke down"; of another learner nothing.
func (t *Tolerant) Chosen() string {
	n, ours := t.Learner.(*Network)
	if !ours {
		return ""
	}
	if bank, ok := n.Model.(*bnn.Bank); ok && n.names != nil {
		weights := bank.Weights()
		best := floats.MaxIdx(weights)
		return n.choice(bank, best, weights[best])
	}
	return n.chosen
}

// Predict sets p to the distribution of the label at x.
func (n *Network) Predict(p, x []float64) error {
	if err := n.Model.Predict(&n.prediction, x); err != nil {
		return err
	}
	normalise(p, &n.prediction)
	return nil
}

func normalise(p []float64, of *bnn.Prediction) {
	for j, pj := range of.P {
		p[j] = pj / of.Sum()
	}
}

// atOnce is how many inputs are predicted at once: with more of them the weights need not
// be read much less often, and what flows through the network outgrows the caches.
const atOnce = 16

// each predicts the inputs and has see look at one after another, up to the first error.
func (n *Network) each(x [][]float64, see func(i int, p *bnn.Prediction) error) error {
	all, ok := n.Model.(interface {
		PredictAll([]bnn.Prediction, [][]float64) (int, error)
	})
	if !ok { // a bank
		for i := range x {
			if err := n.Model.Predict(&n.prediction, x[i]); err != nil {
				return err
			}
			if err := see(i, &n.prediction); err != nil {
				return err
			}
		}
		return nil
	}
	if n.several == nil {
		n.several = make([]bnn.Prediction, atOnce)
	}
	for first := 0; first < len(x); first += atOnce {
		some := x[first:min(first+atOnce, len(x))]
		done, err := all.PredictAll(n.several[:len(some)], some)
		for k := range done {
			if err := see(first+k, &n.several[k]); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
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

// Variances returns Σ_j Var y_j at x, by the moments that the network predicts with and
// by those of the softmax itself.
func (n *Network) Variances(x []float64) (own, exact float64, err error) {
	if err := n.Model.Predict(&n.prediction, x); err != nil {
		return 0, 0, err
	}
	_, exact = n.prediction.LabelVariance()
	return mat.Trace(n.prediction.Cov), exact, nil
}

// Epistemic implements [Epistemic]. Of a single output layer it is NaN.
func (n *Network) Epistemic(x []float64) (float64, error) {
	if err := n.Model.Predict(&n.prediction, x); err != nil {
		return 0, err
	}
	if n.prediction.Layers == nil && n.prediction.Members == nil {
		return math.NaN(), nil
	}
	return n.prediction.Confidence(bnn.Epistemic), nil
}

var (
	_ Learner   = (*Network)(nil)
	_ Stepper   = (*Network)(nil)
	_ Epistemic = (*Network)(nil)
)
