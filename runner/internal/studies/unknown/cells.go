package unknown

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/runner/dataset"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// spec is all that the tables of a cell follow from: one method and one seed, and whether the method learns
// all classes or all but the unseen ones.
type spec struct {
	study.Seeded
	Data    data.Source
	Outside []outside
	Unknown settings
	Method  learner.Method
	Without bool // the unseen classes are kept from the training
	Curves  bool // whether the risk–coverage curve is written down
}

func (e *experiment) Cells() (cells []study.Cell) {
	for _, m := range e.Methods {
		for _, without := range []string{"", " without"} {
			if without != "" && len(e.Unknown.Unseen) == 0 {
				continue
			}
			for _, seed := range e.Seeds {
				s := spec{
					study.Seeded{Manifest: e.Manifest.Name, Seed: seed},
					e.Data, e.Outside, e.Unknown, m,
					without != "", seed == e.Manifest.Seed,
				}
				key := fmt.Sprintf("%s seed=%d%s", m.Name, seed, without)
				cells = append(cells, study.Cell{Key: key, Spec: s, Run: s.run})
			}
		}
	}
	return cells
}

// run trains a learner, chooses thresholds on the validation part, and decides about the test part with them. It
// scores the test part against the data of [[outside]], or against the unseen classes if these were not learned.
func (s spec) run(ctx context.Context) (table.Set, error) {
	all, test, err := s.Data.Unscaled(s.Stream("data"))
	if err != nil {
		return nil, err
	}
	unseen := test.Subset(rows(test, s.Unknown.Unseen, true))
	if s.Without {
		if all, test, err = without(s.Unknown.Unseen, all, test); err != nil {
			return nil, err
		}
	}
	learn, judge, err := all.Split(s.Unknown.Validation, s.Stream("validation"))
	if err != nil {
		return nil, err
	}
	train := all.Subset(learn)
	r, record, err := s.train(ctx, train)
	if err != nil {
		return nil, err
	}
	m := monitor{Classifier: r.Classifier, scores: s.Unknown.Scores, parts: s.Unknown.Combine}
	m.observeHidden(r.Scaler.Apply(train))
	predict := func(e *data.Examples) predictions { return m.predict(r.Scaler.Apply(e)) }
	t := newTables(s)
	validation, inside := predict(all.Subset(judge)), predict(test)
	if s.Without {
		t.distinguish(unseenClass, inside, predict(unseen))
		return t.set(), nil
	}
	t.decide(validation, inside)
	t.promise(record, validation, inside)
	for _, o := range s.Outside {
		t.distinguish(o.Name, inside, predict(o.examples))
	}
	return t.set(), nil
}

// train returns the trained learner, and a record of how it predicted the examples of the second
// half of the pass before it learned them. The record is empty without promises, and of what
// learns all examples at once or in several passes.
func (s spec) train(ctx context.Context, train *data.Examples) (*learner.Result, bnn.TrackRecord, error) {
	var record bnn.TrackRecord
	training := learner.Training{
		Scale: s.Data.Scale, Random: func() rand.Source { return s.Stream("method", s.Method.Name) },
		Shuffle: func(pass int) rand.Source { return s.Stream("pass", pass) },
	}
	if len(s.Unknown.Promise) > 0 && s.Method.Online() && s.Method.Passes <= 1 && !s.Method.OwnOrders {
		seen := 0
		training.Observing = func(c *learner.Classifier, x []float64, class int) {
			if seen++; seen > train.Len()/2 {
				p := c.PredictNext(x)
				record.Add(floats.Max(p), floats.MaxIdx(p) != class)
			}
		}
	}
	r, err := training.Run(ctx, s.Method, train, nil)
	return r, record, err
}

// without returns both parts without the examples of some classes. The test part may have fewer classes than
// the training part, whose numbers they have.
func without(classes []string, train, test *data.Examples) (_, _ *data.Examples, err error) {
	train, _, err = dataset.Parts(train, rows(train, classes, false), nil)
	if err == nil {
		test, err = dataset.Align(train, test.Subset(rows(test, classes, false)))
	}
	return train, test, err
}

// rows returns the numbers of the examples whose classes are among some, or are not.
func rows(e *data.Examples, of []string, among bool) (rows []int) {
	for i := range e.Len() {
		if slices.Contains(of, e.Classes()[e.Class(i)]) == among {
			rows = append(rows, i)
		}
	}
	return rows
}
