package unknown

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/runner/dataset"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// spec is all that the tables of a cell follow from: one method and one seed.
type spec struct {
	study.Seeded
	Data    data.Source
	Outside []outside
	Unknown settings
	Method  learner.Method
	Curve   bool // whether the table risk_coverage has the cell, by its first score
}

func (e *experiment) Cells() (cells []study.Cell) {
	for _, m := range e.Methods {
		for _, seed := range e.Seeds {
			seeded := study.Seeded{Manifest: e.Manifest.Name, Seed: seed}
			s := spec{seeded, e.Data, e.Outside, e.Unknown, m, seed == e.Seeds[0]}
			key := fmt.Sprintf("%s seed=%d", m.Name, seed)
			cells = append(cells, study.Cell{Key: key, Spec: s, Run: s.run})
		}
	}
	return cells
}

// run trains a learner, chooses thresholds on the validation part, decides about the test part with them, and
// scores the test part against the data of [[outside]]. It trains another one without the unseen classes, and
// scores the test examples of the other classes against those of the unseen ones.
func (s spec) run(ctx context.Context) (table.Set, error) {
	all, test, err := s.Data.Parts(s.Stream("data"))
	if err != nil {
		return nil, err
	}
	l, err := s.train(ctx, all)
	if err != nil {
		return nil, err
	}
	t, known := newTables(s), l.predict(test)
	t.evaluate(l, known)
	for _, o := range s.Outside {
		t.distinguish(o.Name, known, l.predict(o.examples))
	}
	tables := table.Set{t.decisions, t.runs, t.curve}
	if len(s.Unknown.Unseen) == 0 {
		return tables, nil
	}
	unseen := test.Subset(s.rows(test, true))
	// The test part may have fewer classes than the training part, whose numbers they have.
	if all, _, err = dataset.Parts(all, s.rows(all, false), nil); err != nil {
		return nil, err
	}
	if test, err = dataset.Align(all, test.Subset(s.rows(test, false))); err != nil {
		return nil, err
	}
	if l, err = s.train(ctx, all); err != nil {
		return nil, err
	}
	t.distinguish("unseen", l.predict(test), l.predict(unseen))
	return tables, nil
}

// rows returns the numbers of the examples whose classes are unseen, or those of the others.
func (s spec) rows(e *data.Examples, unseen bool) (rows []int) {
	for i := range e.Len() {
		if slices.Contains(s.Unknown.Unseen, e.Classes()[e.Class(i)]) == unseen {
			rows = append(rows, i)
		}
	}
	return rows
}

// train trains a learner on all examples but those for validation.
func (s spec) train(ctx context.Context, all *data.Examples) (*scorer, error) {
	learn, judge, err := all.Split(s.Unknown.Validation, s.Stream("validation"))
	if err != nil {
		return nil, err
	}
	l, train := new(scorer), all.Subset(learn)
	training := learner.Training{
		Scale: s.Data.Scale, Random: func() rand.Source { return s.Stream("method", s.Method.Name) },
		Shuffle: func(pass int) rand.Source { return s.Stream("pass", pass) },
	}
	if len(s.Unknown.Promise) > 0 && s.Method.Online() && s.Method.Passes <= 1 && !s.Method.OwnOrders {
		unrecorded := len(learn) - len(judge)
		training.Observing = func(c *learner.Classifier, x []float64, class int) {
			if unrecorded--; unrecorded < 0 {
				p := c.PredictNext(x)
				l.record.Add(floats.Max(p), floats.MaxIdx(p) != class)
			}
		}
	}
	r, err := training.Run(ctx, s.Method, train, nil)
	if err != nil {
		return nil, err
	}
	l.Result = r
	wanted := func(w score) bool { return w == firstLayer || w == mahalanobis || w == combined }
	if slices.ContainsFunc(s.Unknown.Scores, wanted) && r.Readout() == nil {
		l.fitHidden(train)
	}
	l.validation = l.predict(all.Subset(judge))
	return l, nil
}
