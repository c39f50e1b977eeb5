package learner

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/runner/dataset"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/engine"
	"closedform/runner/internal/table"
)

// Training says how methods are trained on examples and scored. The zero value of each field but Random is
// the plain case.
type Training struct {
	Scale  dataset.Scaling    // of the inputs, as fitted to the training part, of a method without a scale of its own; empty: none
	Random func() rand.Source // the randomness of a learner, the same at each call
	Passes int                // over the examples, of methods that see one after another; 0: those of the method

	// Shuffle has the randomness of the order in a pass, from 1; nil, or one that returns nil: the examples
	// come as they are. Order makes an order of it, [Shuffled] where it is nil.
	Shuffle func(pass int) rand.Source
	Order   Order

	// A method with candidates chooses by their log losses on a share of the examples, which Split draws, after
	// each has learned the others.
	Validation float64
	Split      rand.Source

	// While the chosen candidate learns the training part, in the order of the calls, each optional:
	// Observing is called before each example of the first pass, of methods that see one after another,
	// Observed after the k-th example of each pass, and Score with the predictions of the test part after the
	// Snapshots, numbers of examples of the first pass, and after each pass, or only after those in ScorePasses.
	// What learns all examples at once has no snapshots.
	Observing   func(c *Classifier, x []float64, class int)
	Observed    func(c *Classifier, pass, k int) error
	Score       func(c *Classifier, pass, k int, p [][]float64, class []int)
	Snapshots   []int
	ScorePasses []int
}

// Order returns the numbers of the examples in the order in which they are learned.
type Order func(e *dataset.Examples, src rand.Source) []int

// Shuffled is an order in which all orders have the same probability.
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

// Run chooses a candidate of the method, trains it on the training part, and predicts the test part, unless that
// is nil. Both are not scaled yet.
func (t Training) Run(ctx context.Context, m Method, train, test *dataset.Examples) (*Result, error) {
	m, choice, err := t.choose(ctx, m, train)
	if err != nil {
		return nil, err
	}
	r, err := t.train(ctx, m, train, test)
	if err != nil {
		return nil, err
	}
	r.Choice = choice
	return r, nil
}

// choose returns the method with the best candidate. All candidates have the same validation part.
func (t Training) choose(ctx context.Context, m Method, examples *dataset.Examples) (Method, Choice, error) {
	var learn, judge []int
	if m.tuned() {
		var err error
		if learn, judge, err = examples.Split(t.Validation, t.Split); err != nil {
			return m, Choice{}, fmt.Errorf("%s: the part for validation: %w", m.Name, err)
		}
	}
	t.Observing, t.Observed, t.Score = nil, nil, nil
	return m.choose(func(candidate Method) (float64, error) {
		r, err := t.train(ctx, candidate, examples.Subset(learn), examples.Subset(judge))
		if err != nil {
			return 0, err
		}
		r.release()
		return metric.LogLoss(r.P, r.Class), nil
	})
}

// train trains one candidate.
func (t Training) train(ctx context.Context, m Method, train, test *dataset.Examples) (*Result, error) {
	scaler, err := train.Scaler(cmp.Or(m.Scale, t.Scale, dataset.None))
	if err != nil {
		return nil, err
	}
	c, err := m.Learner(train.Inputs(), len(train.Classes()), t.Random())
	if err != nil {
		return nil, err
	}
	r := &Result{Classifier: c, Scaler: scaler, Passes: max(1, cmp.Or(t.Passes, m.Passes))}
	if !m.Online() {
		t.Observing, t.Snapshots, r.Passes = nil, nil, 1
	}
	if train = scaler.Apply(train); test != nil {
		test = scaler.Apply(test)
	}
	if t.Observing == nil && t.Observed == nil && t.Score == nil && m.members() > 1 && m.Weights == "" {
		err = t.members(ctx, r, train, m.OwnOrders)
	} else {
		err = t.pass(ctx, r, train, test)
	}
	if err == nil && test != nil && r.P == nil {
		r.P, r.Class = c.Test(test)
	}
	return r, err
}

// pass trains along all passes over the examples.
func (t Training) pass(ctx context.Context, r *Result, train, test *dataset.Examples) error {
	c := r.Classifier
	c.bind(ctx)
	x := make([]float64, train.Inputs())
	order := make([]int, train.Len())
	for i := range order {
		order[i] = i
	}
	for pass := 1; pass <= r.Passes; pass++ {
		if n := c.Network(); n != nil && pass == 2 {
			n.settle()
		}
		if src := t.shuffle(pass); src != nil {
			order = t.order(train, src)
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
			if t.Observed != nil {
				if err := t.Observed(c, pass, k); err != nil {
					return err
				}
			}
			if t.scores(pass, k, len(order)) {
				p, class := c.Test(test)
				if t.Score(c, pass, k, p, class); pass == r.Passes && k == len(order) {
					r.P, r.Class = p, class
				}
			}
		}
	}
	return ctx.Err()
}

func (t *Training) shuffle(pass int) rand.Source {
	if t.Shuffle == nil {
		return nil
	}
	return t.Shuffle(pass)
}

func (t *Training) order(e *dataset.Examples, src rand.Source) []int {
	if t.Order == nil {
		return Shuffled(e, src)
	}
	return t.Order(e, src)
}

// scores reports whether the test part is scored after k examples of a pass over n.
func (t *Training) scores(pass, k, n int) bool {
	last := k == n && (t.ScorePasses == nil || slices.Contains(t.ScorePasses, pass))
	return t.Score != nil && (last || pass == 1 && slices.Contains(t.Snapshots, k))
}

// members trains the members of an ensemble each by itself, on idle processors. They become what they are when
// the ensemble sees one example after another, unless they see the examples in orders of their own: the first in
// the usual order, the others in ones whose streams are named after what that of the first gives and their number.
func (t Training) members(ctx context.Context, r *Result, train *dataset.Examples, ownOrders bool) error {
	var learners []Learner
	network := r.Network()
	if network == nil {
		learners = r.Learner.(*Ensemble).Members
	} else if bank, layers := network.Model.(*bnn.Bank); layers {
		for _, m := range bank.Models() {
			learners = append(learners, &Network{Model: m})
		}
	} else {
		for _, n := range network.Members() {
			learners = append(learners, &Network{Model: n, noise: network.noise, every: network.every})
		}
	}
	var members []*Result
	for _, l := range learners {
		members = append(members, &Result{Classifier: &Classifier{Learner: l, Classes: r.Classes, Map: r.Map}, Passes: r.Passes})
	}
	err := engine.Each(ctx, len(members), func(ctx context.Context, k int) error {
		of := t
		if ownOrders && k > 0 {
			of.Shuffle = func(pass int) rand.Source {
				return random.Source("order of member", t.Shuffle(pass).Uint64(), k)
			}
		}
		return of.pass(ctx, members[k], train, nil)
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
