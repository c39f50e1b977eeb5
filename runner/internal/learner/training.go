package learner

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"closedform/core/classifier"
	"closedform/core/mixture"
	"closedform/core/random"
	"closedform/runner/dataset"
	"closedform/runner/internal/metric"
)

// Training says how methods are trained and scored.
type Training struct {
	Scale  dataset.Scaling    // scaling for methods without a scale, fitted to the training part; empty: none
	Random func() rand.Source // returns the random numbers of a learner, the same at each call

	// Order returns the order of the examples in a pass, by the source that Shuffle has for the pass, from 1. If
	// Order or the source is nil, the order stays.
	Order   func(e *dataset.Examples, src rand.Source) []int
	Shuffle func(pass int) rand.Source

	// A method with candidates chooses by log loss on a share of the examples, drawn by Split.
	Validation float64
	Split      rand.Source

	// For the chosen candidate, Observing, unless nil, is called before each example of the first pass, and
	// Score with the predictions of the test part after the Snapshots, numbers of examples of the first pass,
	// and after the passes in ScorePasses. Batch methods have one pass, without Observing and Snapshots.
	Observing   func(c *Classifier, x []float64, class int)
	Score       func(c *Classifier, pass, k int, p [][]float64, class []int)
	Snapshots   []int
	ScorePasses []int
}

// Shuffled returns a uniformly random order of the examples.
func Shuffled(e *dataset.Examples, src rand.Source) []int { return rand.New(src).Perm(e.Len()) }

// Result is a trained classifier with its predictions of the test part.
type Result struct {
	*Classifier
	Scaler dataset.Scaler // scales the inputs
	Passes int            // passes over the training part
	P      [][]float64    // predictions of the test part after the last pass
	Class  []int          // true classes of the test part
	Chosen string         // the chosen candidate, such as "prior_var=10 sigma_v=0.1"; empty without candidates
}

// Run chooses the candidate with the smallest log loss on the validation part, trains it on all of train, and
// predicts test unless it is nil. Inputs of both are unscaled.
func (t Training) Run(ctx context.Context, m Method, train, test *dataset.Examples) (*Result, error) {
	if len(m.Candidates) == 0 {
		return t.train(ctx, m, train, test)
	}
	part, validation, err := train.Split(t.Validation, t.Split)
	if err != nil {
		return nil, fmt.Errorf("%s: the part for validation: %w", m.Name, err)
	}
	trial := t
	trial.Observing, trial.Score = nil, nil
	best, chosen, err := m.Choose(func(with Method) (float64, error) {
		r, err := trial.train(ctx, with, part, validation)
		if err != nil {
			return 0, err
		}
		release(r.Learners)
		return metric.LogLoss(r.P, r.Class), nil
	})
	if err != nil {
		return nil, err
	}
	r, err := t.train(ctx, best, train, test)
	if err == nil {
		r.Chosen = chosen
	}
	return r, err
}

func (t Training) train(ctx context.Context, m Method, train, test *dataset.Examples) (*Result, error) {
	scale := cmp.Or(m.Scale, t.Scale, dataset.None)
	if scale == dataset.Stream && train.SquareImages() {
		return nil, fmt.Errorf("%s: scale = %q is not for images", m.Name, scale)
	}
	scaler, err := train.Scaler(scale)
	if err != nil {
		return nil, err
	}
	s := Shape{train.Inputs(), len(train.Classes()), train.SquareImages(), t.Observing != nil}
	c, err := m.learner(ctx, s, t.Random())
	if err != nil {
		return nil, err
	}
	r := &Result{Classifier: c, Scaler: scaler, Passes: max(1, m.Passes)}
	if scale == dataset.Stream {
		c.Scaling = classifier.NewScaling(s.Inputs)
	}
	if !m.Online() {
		t.Observing, t.Snapshots, r.Passes = nil, nil, 1
	}
	if train = scaler.Apply(train); test != nil {
		test = scaler.Apply(test)
	}
	if t.Observing == nil && t.Score == nil && m.Members > 1 && c.Scaling == nil {
		err = t.members(ctx, r, m, train)
	} else {
		err = t.passes(ctx, r, train, test)
	}
	if err == nil && test != nil {
		r.P, r.Class = c.Test(test)
	}
	return r, err
}

func (t *Training) passes(ctx context.Context, r *Result, train, test *dataset.Examples) error {
	c, order := r.Classifier, make([]int, train.Len())
	for i := range order {
		order[i] = i
	}
	for pass := 1; pass <= r.Passes; pass++ {
		if n := c.Network(); n != nil && pass == 2 {
			if bank, ok := n.Model.(*mixture.Mixture); ok {
				bank.Fix()
			}
		}
		if src := t.Shuffle(pass); src != nil && t.Order != nil {
			order = t.Order(train, src)
		}
		for i, number := range order {
			if i%64 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			k, x, class := i+1, train.Input(number), train.Class(number)
			if t.Observing != nil && pass == 1 {
				t.Observing(c, x, class)
			}
			c.Observe(x, class)
			last := k == len(order) && slices.Contains(t.ScorePasses, pass)
			if t.Score != nil && (last || pass == 1 && slices.Contains(t.Snapshots, k)) {
				p, class := c.Test(test)
				t.Score(c, pass, k, p, class)
			}
		}
	}
	return ctx.Err()
}

// members trains the members of an ensemble one after another, with the result of training them together. If
// the members have orders of their own, the first has the usual order. The streams of the other orders are
// named by a number of its stream and the number of the member.
func (t Training) members(ctx context.Context, r *Result, m Method, train *dataset.Examples) error {
	learners, shuffle := r.Learners, t.Shuffle
	choose := func(k int) { r.Learners = learners[k : k+1] }
	if n := r.Network(); n != nil {
		whole, networks := n.Model, n.Members()
		choose = func(k int) { n.Model = networks[k] }
		defer func() { n.Model = whole }()
	}
	defer func() { r.Learners = learners }()
	for k := range m.Members {
		if choose(k); m.OwnOrders && k > 0 {
			t.Shuffle = func(pass int) rand.Source {
				return random.Source("order of member", shuffle(pass).Uint64(), k)
			}
		}
		if err := t.passes(ctx, r, train, nil); err != nil {
			return err
		}
	}
	return nil
}
