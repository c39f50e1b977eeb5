package learner

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"closedform/core/random"
	"closedform/runner/dataset"
	"closedform/runner/internal/engine"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/table"
)

// Training says how methods are trained on examples and scored. All fields but Random are optional.
type Training struct {
	Scale  dataset.Scaling    // of methods without a scale, fitted to the training part; empty: none
	Random func() rand.Source // the randomness of a learner, the same at each call

	// Shuffle has the randomness of the order in a pass, from 1. Without it, or where it returns nil, the
	// examples come as they are. Order makes an order of it, [Shuffled] if it is nil.
	Shuffle func(pass int) rand.Source
	Order   func(e *dataset.Examples, src rand.Source) []int

	// A method with candidates chooses by their log losses on a share of the examples, which Split draws, after
	// each has learned the others.
	Validation float64
	Split      rand.Source

	// While the chosen candidate learns, Observing is called before each example of the first pass. Score is
	// called with the predictions of the test part after the Snapshots, numbers of examples of the first pass,
	// and after each pass, or only after those in ScorePasses. For what learns all examples at once there is one
	// pass, without Observing and Snapshots.
	Observing   func(c *Classifier, x []float64, class int)
	Score       func(c *Classifier, pass, k int, p [][]float64, class []int)
	Snapshots   []int
	ScorePasses []int
}

// Shuffled returns the numbers of the examples in an order in which all orders have the same probability.
func Shuffled(e *dataset.Examples, src rand.Source) []int { return rand.New(src).Perm(e.Len()) }

// Result is a trained classifier with its predictions of the test part.
type Result struct {
	*Classifier
	Choice
	Scaler dataset.Scaler // of the inputs
	Passes int            // over the training part
	P      [][]float64    // predictions of the test part after the last pass
	Class  []int          // the true classes
}

// Choice is what became of the candidates of a method.
type Choice struct {
	Text    string  // the chosen one, as "prior_var=10 sigma_v=0.1"; empty if there was none to choose
	LogLoss float64 // its log loss on the validation part; NaN if there was none to choose
}

// ChoiceColumns returns the columns of [Result.ChoiceRow].
func ChoiceColumns() []table.Column {
	return []table.Column{
		table.Text("chosen", "the candidate that was chosen; of a bank the one of most weight, with that"),
		table.Num("validation_log_loss", "its log loss on the part for validation, in nats"),
	}
}

// ChoiceRow returns what was chosen.
func (r *Result) ChoiceRow() []any {
	return []any{cmp.Or(r.Choice.Text, r.Chosen()), table.Finite(r.Choice.LogLoss)}
}

// Run chooses the candidate of the method that has the least log loss on the validation part, the first of
// equals, trains it on the training part, and predicts the test part, unless that is nil. Both parts are not
// scaled yet.
func (t Training) Run(ctx context.Context, m Method, train, test *dataset.Examples) (*Result, error) {
	if len(m.Candidates) == 0 {
		return t.train(ctx, m, train, test)
	}
	learn, judge, err := train.Split(t.Validation, t.Split)
	if err != nil {
		return nil, fmt.Errorf("%s: the part for validation: %w", m.Name, err)
	}
	trial := t
	trial.Observing, trial.Score = nil, nil
	var best Method
	var choice Choice
	for k, candidate := range m.Candidates {
		with, err := m.with(candidate)
		if err != nil {
			return nil, err
		}
		r, err := trial.train(ctx, with, train.Subset(learn), train.Subset(judge))
		if err != nil {
			return nil, err
		}
		release(r.Learner)
		if loss := metric.LogLoss(r.P, r.Class); k == 0 || loss < choice.LogLoss {
			best, choice = with, Choice{m.describe(candidate), loss}
		}
	}
	r, err := t.train(ctx, best, train, test)
	if err == nil {
		r.Choice = choice
	}
	return r, err
}

// train trains a method without candidates.
func (t Training) train(ctx context.Context, m Method, train, test *dataset.Examples) (*Result, error) {
	scaler, err := train.Scaler(cmp.Or(m.Scale, t.Scale, dataset.None))
	if err != nil {
		return nil, err
	}
	s := Shape{train.Inputs(), len(train.Classes()), train.SquareImages(), t.Observing != nil}
	c, err := m.learner(ctx, s, t.Random())
	if err != nil {
		return nil, err
	}
	r := &Result{Classifier: c, Choice: Choice{LogLoss: math.NaN()}, Scaler: scaler}
	r.Passes = max(1, m.Passes)
	if !m.Online() {
		t.Observing, t.Snapshots, r.Passes = nil, nil, 1
	}
	if t.Order == nil {
		t.Order = Shuffled
	}
	if t.Shuffle == nil {
		t.Shuffle = func(int) rand.Source { return nil }
	}
	if train = scaler.Apply(train); test != nil {
		test = scaler.Apply(test)
	}
	if t.Observing == nil && t.Score == nil && members(m.Extension()) > 1 {
		err = t.parallel(ctx, r, train, m.OwnOrders)
	} else {
		err = t.passes(ctx, r, train, test)
	}
	if err == nil && test != nil && r.P == nil {
		r.P, r.Class = c.Test(test)
	}
	return r, err
}

// passes trains along all passes over the examples.
func (t *Training) passes(ctx context.Context, r *Result, train, test *dataset.Examples) error {
	c, x, order := r.Classifier, make([]float64, train.Inputs()), make([]int, train.Len())
	for i := range order {
		order[i] = i
	}
	for pass := 1; pass <= r.Passes; pass++ {
		if bank, ok := r.bank(); ok && pass == 2 {
			bank.Fix()
		}
		if src := t.Shuffle(pass); src != nil {
			order = t.Order(train, src)
		}
		for i, number := range order {
			if i%64 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			k, class := i+1, train.Class(number)
			train.Input(x, number)
			if t.Observing != nil && pass == 1 {
				t.Observing(c, x, class)
			}
			c.Observe(x, class)
			last := k == len(order) && (t.ScorePasses == nil || slices.Contains(t.ScorePasses, pass))
			if t.Score != nil && (last || pass == 1 && slices.Contains(t.Snapshots, k)) {
				p, class := c.Test(test)
				if t.Score(c, pass, k, p, class); pass == r.Passes && last {
					r.P, r.Class = p, class
				}
			}
		}
	}
	return ctx.Err()
}

// parallel trains the members of an ensemble each by itself, on idle processors. They become what they are
// when the ensemble sees one example after another, unless they have orders of their own: the first has the
// usual one, and the streams of the others are named after what that of the first gives and their number.
func (t *Training) parallel(ctx context.Context, r *Result, train *dataset.Examples, ownOrders bool) error {
	learners, network := r.learners(), r.Network()
	if network != nil {
		learners = network.members()
	}
	members := make([]*Classifier, len(learners))
	err := engine.Each(ctx, len(learners), func(ctx context.Context, k int) error {
		members[k] = &Classifier{Learner: learners[k], Classes: r.Classes, Map: r.Map, ctx: ctx}
		one := *t
		if ownOrders && k > 0 {
			one.Shuffle = func(pass int) rand.Source {
				return random.Source("order of member", t.Shuffle(pass).Uint64(), k)
			}
		}
		return one.passes(ctx, &Result{Classifier: members[k], Passes: r.Passes}, train, nil)
	})
	if err != nil {
		return err
	}
	for _, member := range members {
		r.Err = cmp.Or(r.Err, member.Err)
		if network != nil {
			network.steps.add(member.Steps())
		}
	}
	return nil
}
