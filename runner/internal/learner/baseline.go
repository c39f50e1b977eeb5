package learner

import (
	"context"
	"math/rand/v2"
	"reflect"

	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/runner/internal/engine"
)

// predictor is what was fitted to examples.
type predictor interface {
	Predict(p, x []float64) error
}

// kind is a kind of baseline. Its functions take a pointer to the configuration in its package.
type kind struct {
	config   any // the configuration of a manifest without keys, no pointer
	online   func(config any) bool
	learners func(ctx context.Context, config any, layers []int, src rand.Source) ([]Learner, error)
}

// newKind returns a kind whose configuration begins as c. The data decide on its Layers, or on Inputs and
// Classes; an ensemble has its Members. make makes what learns one example after another, and fit fits to all
// at once; of a kind with both the method Online of the configuration says which.
func newKind[C any, L Learner, P predictor](c C, make func(c C, src rand.Source) (L, error),
	fit func(c C, x [][]float64, class []int, src rand.Source) (P, error),
) kind {
	online := func(config any) bool {
		o, either := config.(interface{ Online() bool })
		return fit == nil || either && o.Online()
	}
	learners := func(ctx context.Context, pointer any, layers []int, src rand.Source) ([]Learner, error) {
		config := shaped(pointer, layers).(C)
		return newMembers(members(pointer), src, func(src rand.Source) (Learner, error) {
			if online(pointer) {
				l, err := make(config, src)
				bind(ctx, l, err)
				return l, err
			}
			return &fitted{fit: func(x [][]float64, class []int) (predictor, error) {
				p, err := fit(config, x, class, src)
				bind(ctx, p, err)
				return p, err
			}}, nil
		})
	}
	return kind{c, online, learners}
}

// online is a kind that learns one example after another.
func online[C any, L Learner](c C, make func(c C, src rand.Source) (L, error)) kind {
	return newKind[C, L, predictor](c, make, nil)
}

// batch is a kind that is fitted to all examples at once.
func batch[C any, P predictor](
	c C, fit func(c C, x [][]float64, class []int, src rand.Source) (P, error),
) kind {
	return newKind[C, Learner](c, nil, fit)
}

// copied returns a pointer to a copy of the configuration that config is or points to.
func copied(config any) reflect.Value {
	c := reflect.Indirect(reflect.ValueOf(config))
	pointer := reflect.New(c.Type())
	pointer.Elem().Set(c)
	return pointer
}

// shaped returns a copy of what config points to, for layers of so many inputs, hidden units and classes.
func shaped(config any, layers []int) any {
	c := copied(config).Elem()
	last := len(layers) - 1
	for key, value := range map[string]any{"Layers": layers, "Inputs": layers[0], "Classes": layers[last]} {
		if f := c.FieldByName(key); f.IsValid() {
			f.Set(reflect.ValueOf(value))
		}
	}
	return c.Interface()
}

// members returns how many there are of what config points to, 0 if it does not say.
func members(config any) int {
	if f := reflect.ValueOf(config).Elem().FieldByName("Members"); f.IsValid() {
		return int(f.Int())
	}
	return 0
}

// numbers returns how many there are in the covariance of the weights of a baseline: one for each weight,
// unless its configuration knows better.
func numbers(config any, layers []int) (n float64) {
	if c, ok := shaped(config, layers).(interface{ Numbers() float64 }); ok {
		return c.Numbers()
	}
	for l, width := range layers[1:] {
		n += float64(width) * float64(layers[l]+1)
	}
	return n
}

// newMembers makes the members of an ensemble. The first has src, as it has by itself; the streams of the
// others are named after their number and one that src gives after that, so that more members leave the first
// as they are.
func newMembers(
	n int, src rand.Source, make func(rand.Source) (Learner, error),
) (members []Learner, err error) {
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
		members = append(members, member)
	}
	return members, nil
}

// fitted is a method that learns all examples at once, as a learner: it is fitted to those so far when it
// first predicts after an example.
type fitted struct {
	fit   func(x [][]float64, class []int) (predictor, error)
	model predictor
	x     [][]float64
	class []int
}

// Observe keeps an example.
func (f *fitted) Observe(x []float64, class int) error {
	f.x, f.class, f.model = append(f.x, append([]float64(nil), x...)), append(f.class, class), nil
	return nil
}

// Predict sets p to the probabilities at x.
func (f *fitted) Predict(p, x []float64) error {
	_, err := f.PredictAll([][]float64{p}, [][]float64{x})
	return err
}

// PredictAll is [predictAll] of the model.
func (f *fitted) PredictAll(p, x [][]float64) (_ [][]bnn.Layer, err error) {
	if f.model == nil {
		f.model, err = f.fit(f.x, f.class)
	}
	if err != nil {
		f.model = nil
		return nil, err
	}
	return predictAll(f.model, p, x)
}

// Release leaves the program that the model may be to the next one.
func (f *fitted) Release() { release(f.model) }

// predictAll sets p_i to the prediction of a baseline at x_i, for all inputs, and returns what its layers
// have made of each, if it has a method for that: predicting several inputs at once pays where the weights
// are larger than the caches.
func predictAll(l predictor, p, x [][]float64) ([][]bnn.Layer, error) {
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

// bind has a learner that another program computes, unless it could not be made, end with the task of the
// context.
func bind(ctx context.Context, l any, err error) {
	if p, ok := l.(interface {
		Bind(ctx context.Context) // kills the program when the context ends
		Close() (seconds float64) // ends the program; returns the processor time of those that have ended
	}); ok && err == nil {
		p.Bind(ctx)
		engine.AtEnd(ctx, p.Close)
	}
}

// release leaves the program that a learner may be to the next learner of the method in the task.
func release(l any) {
	if p, ok := l.(interface{ Release() }); ok {
		p.Release()
	}
}
