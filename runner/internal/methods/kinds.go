package methods

import (
	"math/rand/v2"

	"closedform/runner/internal/learner"
)

// kinds are all kinds of methods by their words. Each baseline adds its own in a file named
// after its package, which no other file uses: the code version of a cell covers the files
// of its own baselines only.
var kinds = map[string]kind{closedForm: networkKind}

// kind is a kind of method.
type kind struct {
	online  bool // it sees one example after another
	layers  bool // it can have hidden layers
	config  func() any
	resolve func(config any) // fills its defaults in
	learner func(config any, layers []int, src rand.Source) (learner.Learner, error)

	// numbers counts those of the covariance of so many weights; nil: one for each weight.
	numbers func(config any, layers []int, weights float64) float64
}

// newKind returns a kind of which the configuration begins as c. For layers of so many
// inputs, hidden units and classes, shape sets what the data decide and make returns the learner.
func newKind[C any](c C, shape func(c *C, layers []int), make func(c C, src rand.Source) (learner.Learner, error)) kind {
	return kind{
		config: func() any { c := c; return &c },
		resolve: func(c any) {
			config := c.(*C)
			if d, ok := any(*config).(interface{ WithDefaults() C }); ok {
				*config = d.WithDefaults()
			}
		},
		learner: func(c any, layers []int, src rand.Source) (learner.Learner, error) {
			config := *c.(*C)
			shape(&config, layers)
			return make(config, src)
		},
	}
}

// online is a kind that sees one example after another.
func online[C any, L learner.Learner](c C, layers bool, shape func(c *C, layers []int), make func(c C, src rand.Source) (L, error)) kind {
	k := newKind(c, shape, func(c C, src rand.Source) (learner.Learner, error) { return make(c, src) })
	k.online, k.layers = true, layers
	return k
}

// batch is a kind that is fitted to all examples at once.
func batch[C any, P learner.Predictor](c C, layers bool, shape func(c *C, layers []int), fit func(c C, x [][]float64, class []int, src rand.Source) (P, error)) kind {
	k := newKind(c, shape, func(c C, src rand.Source) (learner.Learner, error) {
		return &learner.Batch{Fit: func(x [][]float64, class []int) (learner.Predictor, error) { return fit(c, x, class, src) }}, nil
	})
	k.layers = layers
	return k
}
