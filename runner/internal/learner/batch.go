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

	// Of a stream that changes: the method is fitted after every so many examples,
	// to the latest Window of them, and says before the first time that all classes
	// are equally probable. Zero: it is not.
	Window, Every int

	model Predictor
	x     [][]float64
	class []int
	seen  int
	ctx   context.Context // of the task, where it is bound to one
	last  outside         // model
}

// Observe keeps an example.
func (b *Batch) Observe(x []float64, class int) error {
	b.x, b.class = append(b.x, append([]float64(nil), x...)), append(b.class, class)
	if past := len(b.x) - b.Window; b.Every > 0 && past > 0 {
		b.x, b.class = b.x[past:], b.class[past:]
	}
	if b.seen++; b.Every == 0 || b.seen%b.Every == 0 {
		b.Release()
	}
	return nil
}

// Predict sets p to the probabilities at x.
func (b *Batch) Predict(p, x []float64) error {
	_, err := b.PredictAll([][]float64{p}, [][]float64{x})
	return err
}

// PredictAll sets p_i to the probabilities at x_i.
func (b *Batch) PredictAll(p, x [][]float64) ([][]bnn.Layer, error) {
	if b.seen < b.Every {
		for _, p := range p {
			copy(p, Equal(1, len(p))[0])
		}
		return nil, nil
	}
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
