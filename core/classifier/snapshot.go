package classifier

import (
	"math"

	"closedform/core/bnn"
	"closedform/core/familiar"
	"closedform/core/mixture"
	"closedform/core/selective"
)

// Snapshot predicts any input like those that a [Classifier] had learned, in whatever order they came. Apart
// from its Decision it does not change, and is safe for concurrent use, each call with its own Prediction.
type Snapshot struct {
	Decision Decision // which inputs are classified

	model    bnn.Predictor
	scaling  *Scaling
	familiar *familiar.Inputs
	record   *selective.Record
	reason   error // why there is no promise, if not nil
}

// Snapshot returns what the classifier has learned so far. It copies the model, and then solves what the
// examples determine while the classifier may learn on. For the default this takes hundredths of a second after
// some hundred examples, half a second after thousands, and seconds with hundreds of classes, see
// BenchmarkSnapshot. It returns an error if the model cannot predict.
func (c *Classifier) Snapshot() (*Snapshot, error) {
	if err := c.lock(); err != nil {
		return nil, err
	}
	s := &Snapshot{
		Decision: c.Decision, model: c.model.Snapshot(), scaling: c.Scaling.clone(), reason: errNoRecord,
	}
	inputs, _ := c.model.Shape()
	if c.Familiar != nil {
		s.familiar = c.Familiar.Clone()
	}
	var order *mixture.Order
	if c.Record != nil {
		whole := c.Record.Whole.joined()
		s.record, s.reason = &whole, nil
		if c.Record.Order != nil {
			order = c.Record.Order.Clone()
		}
	}
	c.mu.Unlock()
	p := bnn.Prediction{Brief: true}
	if err := s.model.Predict(&p, make([]float64, inputs)); err != nil {
		return nil, err
	}
	if m, ok := s.model.(*mixture.Snapshot); ok && m.Ordered() || order != nil && order.Ordered(s.model) {
		s.reason = errOrder
	}
	return s, nil
}

// Predict sets dst to the prediction for x. After an error, of a bad input a [*bnn.ExampleError], the class is
// Unknown and the numbers are NaN. The output layer of the default allocates 5 kB or more each time.
func (s *Snapshot) Predict(dst *Prediction, x []float64) error {
	var scaled []float64
	dst.Details.Brief = true
	if err := s.model.Predict(&dst.Details, s.scaling.apply(&scaled, x)); err != nil {
		return dst.fail(err)
	}
	dst.decide(s.Decision, familiarity(s.familiar, s.model, x, dst.Details.Class()))
	return nil
}

// Threshold is [Classifier.Threshold] for new examples like all that were learned. It is an error if the
// classes came in an order that is not random, see [mixture.Order].
func (s *Snapshot) Threshold(share, confidence float64) (float64, error) {
	if s.reason != nil {
		return math.NaN(), s.reason
	}
	return s.record.Threshold(share, confidence)
}
