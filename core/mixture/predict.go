package mixture

import (
	"closedform/core/bnn"
	"closedform/internal/kernel"
)

// Predict sets dst to the prediction for any x, see [bnn.Prediction.Mix]. P is the distribution of the label:
// the mean of the members' distributions, calibrated. A member that cannot predict x has weight zero. It is
// an error if no member can. The first prediction after an example predicts the sample, see [Order].
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
	if &dst.P[0] == &dst.Moments.P[0] { // which is not calibrated
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
