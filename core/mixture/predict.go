package mixture

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/internal/field"
	"closedform/internal/kernel"
)

// Observe updates all members by an example of the given class (from 0), and then the weights of the stream
// by the probabilities that the members gave the class before. The update is that of [bnn.MixUpdates] over
// the members that learned the example; its LogP is that of the mixture before calibration. If all members
// fail, Observe changes nothing and returns the first error.
func (m *Mixture) Observe(x []float64, class int) (bnn.Update, error) {
	inputs, classes := m.Shape()
	if err := cmp.Or(field.Class(class, classes), field.Input(x, inputs)); err != nil {
		return bnn.Update{Action: bnn.Refused}, fmt.Errorf("mixture: %w", err)
	}
	m.x, m.class = x, class
	m.calibrates = !m.state.Fixed && (m.state.Seen < 1000 || m.state.Seen%8 == 0)
	copy(m.before.Weights, m.stream.members.weight)
	m.each((*Mixture).learn)
	if !slices.Contains(m.errs, nil) {
		return m.updates[0], fmt.Errorf("member 0: %w", m.errs[0])
	}
	m.snapshot = nil
	for k, err := range m.errs {
		if err != nil {
			m.updates[k] = bnn.Update{LogP: math.Inf(-1)}
		}
		m.logP[k] = m.updates[k].LogP
	}
	u := bnn.MixUpdates(m.stream.members.weight, m.updates)
	if !m.state.Fixed {
		m.weigh()
	}
	return u, nil
}

// learn predicts the example with member k, if the powers need the prediction, and then learns it.
func (m *Mixture) learn(k int) {
	if m.calibrates {
		m.predictMember(&m.before, k, m.x, before)
	}
	m.updates[k], m.errs[k] = m.members[k].Observe(m.x, m.class)
}

// weigh updates the weights of the stream, and the [Order] of the examples.
func (m *Mixture) weigh() {
	w := m.stream
	if m.calibrates && floats.Equal(m.before.Weights, w.members.weight) { // no member failed
		average(&m.before)
		w.powers.add(m.before.P, m.class, 1)
	}
	m.state.Seen++
	m.state.Order.add(m.x, m.class, m.logP)
	if keep := 1 - m.state.Forgetting; keep < 1 {
		floats.Scale(keep, w.members.logWeight)
		floats.Scale(keep, w.powers.logWeight[:])
	}
	w.members.add(m.logP, 1, smallest)
	w.normalise()
}

// Predict sets dst to the prediction for any x, see [bnn.Prediction.Mix]. P is the distribution of the label:
// the mean of the members' distributions, calibrated. A member that cannot predict x has weight zero. It is
// an error if no member can predict x. The first Predict after an example also predicts the [Order]'s sample.
func (m *Mixture) Predict(dst *bnn.Prediction, x []float64) error {
	return m.predict(dst, x, m.current(), bnn.Model.Predict)
}

// Before implements [bnn.Sequential] by the members' Before, with the weights along the stream.
func (m *Mixture) Before(dst *bnn.Prediction, x []float64) error {
	return m.predict(dst, x, m.stream, before)
}

var _ bnn.Sequential = (*Mixture)(nil)

// predictor is how a member predicts.
type predictor func(m bnn.Model, dst *bnn.Prediction, x []float64) error

func before(m bnn.Model, dst *bnn.Prediction, x []float64) error {
	if s, ok := m.(bnn.Sequential); ok {
		return s.Before(dst, x)
	}
	return m.Predict(dst, x)
}

func (m *Mixture) predict(dst *bnn.Prediction, x []float64, w *weighting, by predictor) error {
	err := dst.Mix(m, x, w.members.weight, func(k int, dst *bnn.Prediction) error {
		return by(m.members[k], dst, x)
	})
	if kernel.Sum(dst.Weights) == 0 {
		return err
	}
	if &dst.P[0] == &dst.Moments.P[0] { // Moments.P stays uncalibrated
		dst.P = make([]float64, len(dst.P))
	}
	average(dst)
	w.powers.calibrate(dst.P)
	return nil
}

// newPrediction returns memory for predictMember and average: P, Members and Weights.
func (m *Mixture) newPrediction() bnn.Prediction {
	_, classes := m.Shape()
	n := len(m.members)
	return bnn.Prediction{
		P: make([]float64, classes), Members: make([]bnn.Prediction, n), Weights: make([]float64, n),
	}
}

// predictMember predicts with member k unless its weight is zero, and sets the weight to zero after an error.
func (m *Mixture) predictMember(dst *bnn.Prediction, k int, x []float64, by predictor) {
	if dst.Weights[k] != 0 && by(m.members[k], &dst.Members[k], x) != nil {
		dst.Weights[k] = 0
	}
}

// average sets P to Σ_k w_k p_k/Σp_k over the members.
func average(p *bnn.Prediction) {
	clear(p.P)
	for k, w := range p.Weights {
		if m := &p.Members[k]; w > 0 {
			sum := m.Sum()
			for j, pj := range m.P {
				p.P[j] += float64(w * (pj / sum))
			}
		}
	}
}
