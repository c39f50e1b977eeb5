package learner

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"

	"closedform/runner/dataset"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/table"
)

// Lesson is how methods learn examples, and how a part of these chooses among candidates.
type Lesson struct {
	Scale      dataset.Scaling
	Validation float64                    // share of the examples by which candidates are judged
	Split      rand.Source                // draws them
	Learner    func() rand.Source         // the randomness of a learner
	Order      func(pass int) rand.Source // that of a pass over the examples

	Course Course // Next, Snapshots and Score of what learns after the choice
}

// Choose judges the candidates of a method by a part of the examples, after each has
// learned the others. All have the same part.
func (l Lesson) Choose(ctx context.Context, m Method, examples *dataset.Examples) (Method, Choice, error) {
	var learn, judge []int
	if m.tuned() {
		var err error
		if learn, judge, err = examples.Split(l.Validation, l.Split); err != nil {
			return m, Choice{}, fmt.Errorf("%s: the part for validation: %w", m.Name, err)
		}
	}
	l.Course = Course{}
	return m.Choose(func(with Method) (float64, error) {
		learned, scaled, err := l.Learn(ctx, with, examples.Subset(learn), examples.Subset(judge))
		if err != nil {
			return 0, err
		}
		p, class := learned.Test(scaled)
		learned.Release()
		return metric.LogLoss(p, class), nil
	})
}

// Train returns a learner of what was chosen that has seen the training examples, and the
// others scaled as it needs them.
func (l Lesson) Train(ctx context.Context, m Method, train, test *dataset.Examples) (*Tolerant, *dataset.Examples, Choice, error) {
	chosen, choice, err := l.Choose(ctx, m, train)
	if err != nil {
		return nil, nil, choice, err
	}
	learned, scaled, err := l.Learn(ctx, chosen, train, test)
	return learned, scaled, choice, err
}

// Learn returns a learner that has seen the training examples, and the others scaled as
// it needs them. A method that learns all examples at once is scored once, after them.
func (l Lesson) Learn(ctx context.Context, m Method, train, test *dataset.Examples) (*Tolerant, *dataset.Examples, error) {
	scaler, err := train.Scaler(l.Scale)
	if err != nil {
		return nil, nil, err
	}
	train, test = scaler.Apply(train), scaler.Apply(test)
	if l.Course.Score == nil {
		learned, err := m.Train(ctx, train, l.Learner(), l.Order)
		return learned, test, err
	}
	learned, err := m.Learner(train.Inputs(), len(train.Classes()), l.Learner())
	if err != nil {
		return nil, nil, err
	}
	c := l.Course
	c.Examples, c.Passes, c.Order, c.Test = train, m.Passes, l.Order, test
	if !m.Online() {
		c.Next, c.Snapshots = nil, nil
	}
	return learned, test, c.Train(ctx, learned)
}

// ChoiceColumns returns the columns of [Choice.Row]; by is what candidates are judged by.
func ChoiceColumns(by string) []table.Column {
	return []table.Column{
		table.Text("chosen", "the candidate that was chosen; of a bank the one of most weight, with that"),
		table.Num("validation_log_loss", "its log loss on the "+by+" for validation, in nats"),
	}
}

// Row returns what was chosen for a learner.
func (c Choice) Row(l *Tolerant) []any {
	return []any{cmp.Or(c.Text, l.Chosen()), table.Finite(c.LogLoss)}
}
