package learner

import (
	"context"
	"math/rand/v2"

	"closedform/core/bnn"
	"closedform/core/random"
)

// mostMembers is how many an ensemble may have.
const mostMembers = 64

// newMembers makes the members of an ensemble, each random as a stream of its own says. The
// first has src, as it has by itself; the streams of the others are named after their
// number and one that src gives after that, so that more members leave the first as they are.
func newMembers[T any](n int, src rand.Source, make func(rand.Source) (T, error)) (all []T, err error) {
	stream, name := src, uint64(0)
	for k := range max(1, n) {
		if k > 0 {
			stream = random.Source("member", name, k)
		}
		member, err := make(stream)
		if err != nil {
			return nil, err
		}
		if k == 0 && n > 1 {
			name = src.Uint64()
		}
		all = append(all, member)
	}
	return all, nil
}

// Ensemble is baselines that all see the same examples. It predicts the mean of their
// probabilities.
type Ensemble struct{ Members []Learner }

// Observe shows all members an example.
func (e *Ensemble) Observe(x []float64, class int) error {
	for _, m := range e.Members {
		if err := m.Observe(x, class); err != nil {
			return err
		}
	}
	return nil
}

// Predict sets p to the mean of the members' probabilities at x.
func (e *Ensemble) Predict(p, x []float64) error {
	all, err := mean(e.Members, len(p), [][]float64{x})
	if err == nil {
		copy(p, all[0].P)
	}
	return err
}

// Batch is a method that learns all examples at once, as a learner: it is fitted to those so far when it
// first predicts after an example.
type Batch struct {
	Fit func(x [][]float64, class []int) (Predictor, error)

	model Predictor
	x     [][]float64
	class []int
	ctx   context.Context // of the task, where it is bound to one
	last  program         // the latest model
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
		if o, ok := model.(program); ok && b.ctx != nil {
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
	if o, ok := b.model.(program); ok {
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

var (
	_ Learner = (*Ensemble)(nil)
	_ program = (*Batch)(nil)
)
