package learner

import (
	"context"

	"closedform/core/bnn"
)

// Predictor puts the predictive probabilities of the classes at x into p.
type Predictor interface {
	Predict(p, x []float64) error
}

// Batch is a method that learns all examples at once, as a learner: it is fitted
// when it is first asked after an example.
type Batch struct {
	Fit func(x [][]float64, class []int) (Predictor, error)

	model Predictor
	x     [][]float64
	class []int
	ctx   context.Context // of the task, where it is bound to one
	last  outside         // model
}

// Observe keeps an example.
func (b *Batch) Observe(x []float64, class int) error {
	b.x, b.class = append(b.x, append([]float64(nil), x...)), append(b.class, class)
	b.Release()
	return nil
}

// Predict sets p to the probabilities at x.
func (b *Batch) Predict(p, x []float64) error {
	_, err := b.PredictAll([][]float64{p}, [][]float64{x})
	return err
}

// PredictAll sets p_i to the probabilities at x_i.
func (b *Batch) PredictAll(p, x [][]float64) ([][]bnn.Layer, error) {
	if b.model == nil {
		model, err := b.Fit(b.x, b.class)
		if err != nil {
			return nil, err
		}
		if o, ok := model.(outside); ok && b.ctx != nil {
			o.Bind(b.ctx)
		}
		b.model = model
	}
	return predictAll(b.model, p, x)
}

// Bind binds the models to the context.
func (b *Batch) Bind(ctx context.Context) { b.ctx = ctx }

// Release drops the model.
func (b *Batch) Release() {
	if o, ok := b.model.(outside); ok {
		o.Release()
		b.last = o
	}
	b.model = nil
}

// Close drops the model, and ends the program that it may be.
func (b *Batch) Close() (seconds float64) {
	if b.Release(); b.last != nil {
		seconds = b.last.Close()
	}
	return seconds
}

var _ outside = (*Batch)(nil)
