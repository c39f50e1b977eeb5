package learner

import (
	"context"
	"math/rand/v2"
	"reflect"

	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/runner/internal/engine"
)

type predictor interface {
	Predict(p, x []float64) error
}

type kind struct {
	config any // of a manifest without keys

	// make makes a learner of one example after another, and fit one of all at once; one may be nil. If a kind
	// has both, the configuration's method Online chooses.
	make func(config any, src rand.Source) (Learner, error)
	fit  func(config any, x [][]float64, class []int, src rand.Source) (predictor, error)
}

// online returns a kind of learners of one example after another. The data set Layers, or Inputs and Classes,
// of the configuration.
func online[C any, L Learner](make func(c C, src rand.Source) (L, error)) kind {
	return kind{config: *new(C), make: func(config any, src rand.Source) (Learner, error) {
		return make(config.(C), src)
	}}
}

func batch[C any, P predictor](
	fit func(c C, x [][]float64, class []int, src rand.Source) (P, error),
) kind {
	return kind{config: *new(C), fit: func(
		config any, x [][]float64, class []int, src rand.Source,
	) (predictor, error) {
		return fit(config.(C), x, class, src)
	}}
}

func (k kind) online(config any) bool {
	o, either := config.(interface{ Online() bool })
	return k.fit == nil || either && o.Online()
}

// learners makes the members of an ensemble, or the only learner. The first has src, as on its own. The
// streams of the others are named by their number and the next number of src, so more members keep the first.
func (k kind) learners(
	ctx context.Context, config any, layers []int, src rand.Source,
) (learners []Learner, err error) {
	shape, name := shaped(config, layers), uint64(0)
	for i := range max(1, members(config)) {
		stream := src
		if i == 1 {
			name = src.Uint64()
		}
		if i > 0 {
			stream = random.Source("member", name, i)
		}
		var l Learner = &fitted{fit: func(x [][]float64, class []int) (predictor, error) {
			p, err := k.fit(shape, x, class, stream)
			bind(ctx, p, err)
			return p, err
		}}
		if k.online(config) {
			l, err = k.make(shape, stream)
			bind(ctx, l, err)
		}
		if err != nil {
			return nil, err
		}
		learners = append(learners, l)
	}
	return learners, nil
}

func copied(config any) reflect.Value {
	c := reflect.Indirect(reflect.ValueOf(config))
	pointer := reflect.New(c.Type())
	pointer.Elem().Set(c)
	return pointer
}

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

func members(config any) int {
	if f := reflect.ValueOf(config).Elem().FieldByName("Members"); f.IsValid() {
		return int(f.Int())
	}
	return 0
}

// fitted is a batch method as a learner: the first prediction after an example fits it to all so far.
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

// Release releases the program of the model, if any, for the next one.
func (f *fitted) Release() { release(f.model) }

// predictAll sets p_i to a baseline's prediction at each x_i, at once if it can, and returns any layers.
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

// bind makes the program of a learner, if any, end with the context.
func bind(ctx context.Context, l any, err error) {
	if p, ok := l.(interface {
		Bind(ctx context.Context) // kills the program when the context ends
		Close() (seconds float64) // ends the program; returns the processor time of those that have ended
	}); ok && err == nil {
		p.Bind(ctx)
		engine.AtEnd(ctx, p.Close)
	}
}

// release leaves the program of a learner, if any, to the next learner of the method in the task.
func release(l any) {
	if p, ok := l.(interface{ Release() }); ok {
		p.Release()
	}
}
