package learner

import (
	"math"

	"closedform/core/bnn"
	"closedform/core/readout"
)

// Network is a closed-form model as a learner. It predicts the label's distribution p/Σp, and counts steps.
type Network struct {
	bnn.Model

	steps    Steps
	snapshot bnn.Predictor          // of the mixture or layer since the last example; nil: not taken
	several  [atOnce]bnn.Prediction // scratch space: the latest predictions
}

// Observe learns an example.
func (n *Network) Observe(x []float64, class int) error {
	n.snapshot = nil
	u, err := n.Model.Observe(x, class)
	n.steps.Count(u)
	return err
}

// Steps returns the counts of all examples so far.
func (n *Network) Steps() Steps { return n.steps }

// Members returns the networks of the model, none for an output layer.
func (n *Network) Members() []*bnn.Network {
	if m, ok := n.Model.(interface{ Members() []*bnn.Network }); ok {
		return m.Members()
	}
	return nil
}

// Predict sets p to the distribution of the label at x.
func (n *Network) Predict(p, x []float64) error {
	one, err := n.predict([][]float64{x}, false)
	if err == nil {
		copy(p, one[0].P)
	}
	return err
}

// Predictor returns a predictor for any inputs: a snapshot, or the network itself, which predicts the same.
func (n *Network) Predictor() bnn.Predictor {
	if _, same := n.Model.(bnn.Sequential); same {
		return n.Model
	}
	if n.snapshot == nil {
		n.snapshot = n.Model.Snapshot()
	}
	return n.snapshot
}

// Latest returns the last prediction of [Classifier.PredictNext].
func (n *Network) Latest() *bnn.Prediction { return &n.several[0] }

// predict returns the predictions of at most atOnce inputs, up to the first error. With next, the inputs are
// the next examples of the stream.
func (n *Network) predict(x [][]float64, next bool) (_ []Prediction, err error) {
	for i := range x {
		n.several[i].Brief = true // nobody asks for the covariances
	}
	predict := func(dst *bnn.Prediction, x []float64) error { return bnn.Before(n.Model, dst, x) }
	if !next {
		predict = n.Predictor().Predict
		if l, ok := n.snapshot.(*readout.Layer); ok {
			err = l.PredictAll(n.several[:len(x)], x)
			predict = func(*bnn.Prediction, []float64) error { return err }
		}
	}
	_, classes := n.Shape()
	predictions, probabilities := make([]Prediction, len(x)), matrix(len(x), classes)
	for i := range x {
		q := &n.several[i]
		if err := predict(q, x[i]); err != nil {
			return predictions[:i], err
		}
		p := Prediction{probabilities[i], q.Confidence(), math.NaN(), layersOf(q)}
		sum := q.Sum()
		for j, x := range q.P {
			p.P[j] = x / sum
		}
		if len(q.Members) > 0 {
			p.MutualInformation = q.MutualInformation()
		}
		predictions[i] = p
	}
	return predictions, nil
}

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
