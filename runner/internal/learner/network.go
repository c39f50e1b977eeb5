package learner

import (
	"gonum.org/v1/gonum/mat"

	"closedform/core/bnn"
)

// Network is the closed-form network, or an ensemble of such, as a learner: it predicts the distribution of
// the label, p/Σp, and counts its steps.
type Network struct {
	*bnn.Ensemble
	Last  bnn.Update // of the last example
	steps Steps

	prediction bnn.Prediction
	several    []bnn.Prediction // of each

	noise       float64 // process noise that is added after every so many examples
	every, seen int
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
	if n.noise > 0 {
		if n.seen++; n.seen%n.every == 0 {
			if err := n.Ensemble.AddProcessNoise(n.noise); err != nil {
				return err
			}
		}
	}
	var err error
	n.Last, err = n.Ensemble.Observe(x, class)
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

// LogP returns the logarithm of the probability of the last example's class, before it was learned.
func (n *Network) LogP() float64 { return n.Last.LogP }

// Predict sets p to the distribution of the label at x.
func (n *Network) Predict(p, x []float64) error {
	if err := n.Ensemble.Predict(&n.prediction, x); err != nil {
		return err
	}
	normalise(p, &n.prediction)
	return nil
}

func normalise(p []float64, of *bnn.Prediction) {
	for j, pj := range of.P {
		p[j] = pj / (1 + of.Moments.Excess())
	}
}

// atOnce is how many inputs are predicted at once: with more of them the weights need not
// be read much less often, and what flows through the network outgrows the caches.
const atOnce = 16

// each predicts the inputs and has see look at one after another, up to the first error.
func (n *Network) each(x [][]float64, see func(i int, p *bnn.Prediction) error) error {
	if n.several == nil {
		n.several = make([]bnn.Prediction, atOnce)
	}
	for first := 0; first < len(x); first += atOnce {
		some := x[first:min(first+atOnce, len(x))]
		done, err := n.PredictAll(n.several[:len(some)], some)
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

// layersOf returns those of the members of an ensemble, or of a network.
func layersOf(p *bnn.Prediction) (all [][]bnn.Layer) {
	for _, m := range p.Members {
		all = append(all, m.Layers)
	}
	if all == nil {
		all = append(all, p.Layers)
	}
	return all
}

// Steps returns what became of the examples.
func (n *Network) Steps() Steps { return n.steps }

// Variances returns Σ_j Var y_j at x, by the moments that the network predicts with and
// by those of the softmax itself.
func (n *Network) Variances(x []float64) (own, exact float64, err error) {
	if err := n.Ensemble.Predict(&n.prediction, x); err != nil {
		return 0, 0, err
	}
	_, exact = n.prediction.LabelVariance()
	return mat.Trace(n.prediction.Cov), exact, nil
}

// Epistemic implements [Epistemic].
func (n *Network) Epistemic(x []float64) (float64, error) {
	if err := n.Ensemble.Predict(&n.prediction, x); err != nil {
		return 0, err
	}
	return n.prediction.Confidence(bnn.Epistemic), nil
}

// MutualInformation implements [Mixture].
func (n *Network) MutualInformation(p, x []float64) (float64, error) {
	err := n.Predict(p, x)
	return n.prediction.MutualInformation(), err
}

var (
	_ Learner   = (*Network)(nil)
	_ Stepper   = (*Network)(nil)
	_ Epistemic = (*Network)(nil)
	_ Mixture   = (*Network)(nil)
)
