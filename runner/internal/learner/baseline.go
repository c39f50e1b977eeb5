package learner

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/internal/field"
	"closedform/runner/internal/task"
)

// baseline is a kind of method other than the closed-form network, with the values of its keys. Layers are
// the numbers of inputs, of hidden units by layer, and of classes.
type baseline interface {
	keys() any        // returns a pointer to the struct with the values
	copied() baseline // returns a baseline with the same values, to be changed separately
	online() bool     // reports whether it learns one example after another

	// check returns an error if networks with these layers do not exist, or so many need too much memory.
	check(layers []int, members int) error
	learner(layers []int, src rand.Source) (Learner, error)
}

// configured is a baseline with the configuration C, whose zero value holds the defaults.
type configured[C any] struct {
	Config C

	flat   bool // the baseline has no hidden layers
	batch  bool // the baseline learns all examples at once
	create func(c C, layers []int, src rand.Source) (Learner, error)
}

// network returns a kind of networks that learn one example after another.
func network[C any, L Learner](create func(c C, layers []int, src rand.Source) (L, error)) baseline {
	return &configured[C]{create: func(c C, layers []int, src rand.Source) (Learner, error) {
		return create(c, layers, src)
	}}
}

// flat returns a kind of learners of one example after another, without hidden layers.
func flat[C any, L Learner](create func(c C, inputs, classes int, src rand.Source) (L, error)) baseline {
	return &configured[C]{flat: true, create: func(c C, layers []int, src rand.Source) (Learner, error) {
		return create(c, layers[0], layers[len(layers)-1], src)
	}}
}

// batch returns a kind of networks that learn all examples at once.
func batch[C any, P predictor](
	fit func(c C, layers []int, x [][]float64, class []int, src rand.Source) (P, error),
) baseline {
	return &configured[C]{batch: true, create: func(c C, layers []int, src rand.Source) (Learner, error) {
		return &fitted{fit: func(x [][]float64, class []int) (predictor, error) {
			return fit(c, layers, x, class, src)
		}}, nil
	}}
}

func (b *configured[C]) keys() any { return &b.Config }

func (b *configured[C]) copied() baseline {
	c := *b
	return &c
}

func (b *configured[C]) online() bool {
	if c, ok := b.keys().(interface{ Online() bool }); ok {
		return c.Online()
	}
	return !b.batch
}

func (b *configured[C]) check(layers []int, members int) error {
	numbers := 0.0
	if c, ok := b.keys().(interface{ Numbers(layers []int) float64 }); ok {
		numbers = c.Numbers(layers) * float64(max(1, members))
	}
	return errors.Join(checkSize("kind", numbers), field.Refuse(b.flat && len(layers) > 2, "hidden_layers",
		layers[1:len(layers)-1], "none, with this kind"))
}

func (b *configured[C]) learner(layers []int, src rand.Source) (Learner, error) {
	return b.create(b.Config, layers, src)
}

type predictor interface {
	Predict(p, x []float64) error
}

// fitted is a batch method as a learner: it fits its model at the first prediction after an example.
type fitted struct {
	fit   func(x [][]float64, class []int) (predictor, error)
	model predictor // the fitted model; nil: fit again
	x     [][]float64
	class []int
}

// Observe keeps an example.
func (f *fitted) Observe(x []float64, class int) error {
	f.x, f.class, f.model = append(f.x, slices.Clone(x)), append(f.class, class), nil
	return nil
}

// Predict sets p to the probabilities at x.
func (f *fitted) Predict(p, x []float64) error {
	if f.model == nil {
		model, err := f.fit(f.x, f.class)
		if err != nil {
			return err
		}
		f.model = model
	}
	return f.model.Predict(p, x)
}

// predictAll sets p_i to the prediction at x_i. It returns the layers of each, nil without Gaussian weights.
func predictAll(l Learner, p, x [][]float64) ([][]bnn.Layer, error) {
	if b, ok := l.(interface {
		PredictAll(p, x [][]float64) ([][]bnn.Layer, error)
	}); ok {
		return b.PredictAll(p, x)
	}
	for i := range x {
		if err := l.Predict(p[i], x[i]); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// ensemble returns the members of an ensemble of a baseline, or its only learner. The first draws from src,
// as it does alone. The streams of the others are named by the next number of src and their own number.
func (m *Method) ensemble(ctx context.Context, layers []int, src rand.Source) ([]Learner, error) {
	var learners []Learner
	stream, name := src, uint64(0)
	for i := range max(1, m.Members) {
		if i == 1 {
			name = src.Uint64()
		}
		if i > 0 {
			stream = random.Source("member", name, i)
		}
		l, err := m.Baseline.learner(layers, stream)
		if err != nil {
			return nil, err
		}
		if p, ok := l.(program); ok {
			p.Bind(ctx, func(err error) { task.Fail(ctx, err) })
			task.AtEnd(ctx, p.Close)
		}
		learners = append(learners, l)
	}
	return learners, nil
}

type program interface {
	Bind(ctx context.Context, onFailure func(error)) // kills the program when ctx ends
	Release()                                        // leaves the program to the next learner of the method
	Close() (seconds float64)                        // ends the program; returns its processor time
}

// release leaves the programs of learners, if any, to the next learners of the method in the task.
func release(learners []Learner) {
	for _, l := range learners {
		if p, ok := l.(program); ok {
			p.Release()
		}
	}
}
