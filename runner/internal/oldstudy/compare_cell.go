package study

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"closedform/core/random"
	"closedform/runner/internal/dataset"
	"closedform/runner/internal/metric"
	store "closedform/runner/internal/oldstore"
)

// run chooses the hyper-parameters, learns with them and scores what was learned.
// The split and the part for validation are the same for all methods of a seed;
// the test part is not looked at before the choice is made.
func (s compareSpec) run(ctx context.Context) ([]store.Table, error) {
	train, test, err := s.Set.Source.Unscaled(s.stream("data", s.Set.Name))
	if err != nil {
		return nil, err
	}
	hyper, choice, err := s.choose(ctx, train)
	if err != nil {
		return nil, err
	}
	p, answers, class, err := s.learn(ctx, hyper, train, test)
	if err != nil {
		return nil, err
	}
	t := store.Table{Name: "scores", Header: slices.Concat(
		[]string{"set", "method", "seed", "train", "test", "chosen", "validation_log_loss"}, scoreColumns, stepColumns,
	)}
	row := []string{
		s.Set.Name, s.Method.Name, strconv.Itoa(s.Seed), strconv.Itoa(train.Len()), strconv.Itoa(test.Len()), choice.text, gapped(choice.loss),
	}
	for _, x := range scores(answers, class) {
		row = append(row, store.Float(x))
	}
	t.Rows = [][]string{append(row, p.done().fields()...)}
	return []store.Table{t, s.predictions(answers, class, train.Classes())}, nil
}

// stream returns the random stream of this seed for a purpose.
func (s compareSpec) stream(purpose ...any) rand.Source {
	return random.Source(append([]any{s.Manifest, s.Seed}, purpose...)...)
}

// choose judges the candidates by a part of the training examples.
func (s compareSpec) choose(ctx context.Context, train *dataset.Examples) (map[string]float64, choice, error) {
	return choose(&s.Method, func(hyper map[string]float64) (float64, error) {
		learn, judge, err := train.SplitFraction(s.Validation, s.stream("validation", s.Set.Name))
		if err != nil {
			return 0, err
		}
		_, answers, class, err := s.learn(ctx, hyper, train.Subset(learn), train.Subset(judge))
		if err != nil {
			return 0, err
		}
		return metric.LogLoss(answers, class), nil
	})
}

// learn returns a pupil that has learned the training examples, and what it says of
// the others. All inputs are scaled as the training examples require.
func (s compareSpec) learn(ctx context.Context, hyper map[string]float64, train, test *dataset.Examples) (p pupil, answers [][]float64, class []int, err error) {
	scaler, err := train.Scaler(dataset.Scaling(s.Set.Source.Scale))
	if err != nil {
		return nil, nil, nil, err
	}
	train, test = scaler.Apply(train), scaler.Apply(test)
	p, err = enrol(&s.Method, hyper, train.Inputs(), len(train.Classes()), s.stream("method", s.Set.Name, s.Method.Name))
	if err != nil {
		return nil, nil, nil, err
	}
	if err := teach(ctx, p, train, s.Method.Passes, func(pass int) rand.Source { return s.stream("pass", s.Set.Name, pass) }); err != nil {
		return nil, nil, nil, err
	}
	answers, class = answer(p, test)
	return p, answers, class, nil
}

// predictions lists the probabilities of all test examples to six digits. Sets
// with fewer classes than others leave the last columns empty.
func (s compareSpec) predictions(p [][]float64, class []int, names []string) store.Table {
	t := store.Table{Name: "predictions", Packed: true, Header: []string{"set", "method", "seed", "example", "class"}}
	for j := range s.Classes {
		t.Header = append(t.Header, fmt.Sprintf("p%d", j+1))
	}
	for i := range p {
		row := []string{s.Set.Name, s.Method.Name, strconv.Itoa(s.Seed), strconv.Itoa(i + 1), names[class[i]]}
		for j := range s.Classes {
			field := ""
			if j < len(p[i]) {
				field = strconv.FormatFloat(p[i][j], 'g', 6, 64)
			}
			row = append(row, field)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
