package learner

import (
	"math/rand/v2"
	"reflect"

	"closedform/baselines/learners/bayesbackprop"
	"closedform/baselines/learners/classgaussian"
	"closedform/baselines/learners/command"
	"closedform/baselines/learners/dropout"
	"closedform/baselines/learners/kalman"
	"closedform/baselines/learners/laplace"
	"closedform/baselines/learners/majority"
	"closedform/baselines/learners/neighbours"
	"closedform/baselines/learners/sgd"
	"closedform/baselines/learners/tagi"
	"closedform/baselines/learners/variational"
)

// kinds are all kinds of methods but the closed-form network, by their words.
var kinds = map[string]kind{
	"backprop":       batch(bayesbackprop.Config{}, bayesbackprop.Fit),
	"class-gaussian": online(classgaussian.Config{}, classgaussian.New),
	"command":        newKind(command.Config{}, command.New, command.Fit),
	"dropout":        batch(dropout.Config{}, dropout.Fit),
	"kalman":         online(kalman.Config{}, kalman.New),
	"laplace":        batch(laplace.Config{}, laplace.Fit),
	"majority":       online(majority.Config{}, majority.New),
	"neighbours":     batch(neighbours.Config{}, neighbours.Fit),
	"sgd":            online(sgd.Config{}, sgd.New),
	"tagi":           online(tagi.Config{}, tagi.New),
	"variational":    batch(variational.Config{}, variational.Fit),
}

// kind is a kind of method.
type kind struct {
	online  bool // it sees one example after another
	layers  bool // it can have hidden layers
	config  func() any
	learner func(config any, layers []int, src rand.Source) (Learner, error)
}

// newKind returns a kind of which the configuration begins as c. The data decide on its Layers, or on Inputs and
// Classes; with Members there are so many. make makes what sees one example after another, and fit fits to all at
// once; of a kind with both the method Online of the configuration says which.
func newKind[C any, L Learner, P Predictor](c C, make func(c C, src rand.Source) (L, error),
	fit func(c C, x [][]float64, class []int, src rand.Source) (P, error),
) kind {
	_, layers := reflect.TypeFor[C]().FieldByName("Layers")
	return kind{
		online: fit == nil,
		layers: layers,
		config: func() any { c := c; return &c },
		learner: func(c any, layers []int, src rand.Source) (Learner, error) {
			config := shaped(c, layers).(C)
			all, err := newMembers(members(c), src, func(src rand.Source) (Learner, error) {
				if o, either := c.(interface{ Online() bool }); fit == nil || either && o.Online() {
					return make(config, src)
				}
				return &Batch{Fit: func(x [][]float64, class []int) (Predictor, error) { return fit(config, x, class, src) }}, nil
			})
			if len(all) == 1 {
				return all[0], err
			}
			return &Ensemble{Members: all}, err
		},
	}
}

// online is a kind that sees one example after another.
func online[C any, L Learner](c C, make func(c C, src rand.Source) (L, error)) kind {
	return newKind[C, L, Predictor](c, make, nil)
}

// batch is a kind that is fitted to all examples at once.
func batch[C any, P Predictor](c C, fit func(c C, x [][]float64, class []int, src rand.Source) (P, error)) kind {
	return newKind[C, Learner](c, nil, fit)
}

// shaped returns a copy of what config points to, for layers of so many inputs, hidden units
// and classes.
func shaped(config any, layers []int) any {
	c := reflect.New(reflect.TypeOf(config).Elem()).Elem()
	c.Set(reflect.ValueOf(config).Elem())
	for key, value := range map[string]any{"Layers": layers, "Inputs": layers[0], "Classes": layers[len(layers)-1]} {
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

// numbers returns how many there are in the covariance of the weights of a baseline: one for
// each weight, unless its configuration knows better.
func numbers(config any, layers []int) (n float64) {
	if c, ok := shaped(config, layers).(interface{ Numbers() float64 }); ok {
		return c.Numbers()
	}
	for l, width := range layers[1:] {
		n += float64(width) * float64(layers[l]+1)
	}
	return n
}
