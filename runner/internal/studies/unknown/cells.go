package unknown

import (
	"context"
	"fmt"
	"math"
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

// spec is all that the tables of a cell follow from: one method, what it sees of the inputs,
// and seed, that has learned all classes or all but the unseen ones.
type spec struct {
	study.Seeded
	Data    data.Source
	Outside []outside
	Near    []near `json:",omitempty"` // of the first inputs of the method
	Unknown settings
	Inputs  inputs
	Method  learner.Method
	Without bool // the unseen classes are kept from the training
	Curves  bool // whether the risk–coverage curve is written down
	List    bool // whether predictions are: not of the many seeds of promises
}

func (e *experiment) Cells() (cells []study.Cell) {
	for _, m := range e.Methods {
		first := true // of the inputs of the method
		for _, in := range e.Inputs {
			if len(in.Methods) > 0 && !slices.Contains(in.Methods, m.Name) {
				continue
			}
			in.Methods = nil
			for _, without := range []string{"", " without"} {
				if without != "" && (!first || len(e.Unknown.Unseen) == 0) {
					continue
				}
				for _, seed := range e.Seeds {
					s := spec{
						study.Seeded{Manifest: e.Manifest.Name, Seed: seed},
						e.Data, e.Outside, nil, e.Unknown, in, m,
						without != "", first && seed == e.Manifest.Seed, first && len(e.Unknown.Promise) == 0,
					}
					if first {
						s.Near = e.Near
					}
					key := fmt.Sprintf("%s inputs=%s seed=%d%s", m.Name, in.Name, seed, without)
					cells = append(cells, study.Cell{Key: key, Spec: s, Run: s.run})
				}
			}
			first = false
		}
	}
	return cells
}

// run trains a learner, chooses thresholds by the part for validation, and decides
// about the test part and all else with these.
func (s spec) run(ctx context.Context) (table.Set, error) {
	all, test, err := s.Data.Unscaled(s.Stream("data"))
	if err != nil {
		return nil, err
	}
	unseen := test.Subset(rows(test, s.Unknown.Unseen, true))
	if s.Without {
		if all, test, err = only(all, test, s.Unknown.Unseen, false); err != nil {
			return nil, err
		}
	}
	learn, judge, err := all.Split(s.Unknown.Validation, s.Stream("validation"))
	if err != nil {
		return nil, err
	}
	train := all.Subset(learn)
	kept := s.Inputs.kept(train)
	if len(kept) == 0 {
		return nil, fmt.Errorf("inputs.%s: no input is lit in more than %g of the training part", s.Inputs.Name, s.Inputs.Lit)
	}
	train = restricted(train, kept)
	scaler, err := train.Scaler(s.Data.Scale)
	if err != nil {
		return nil, err
	}
	train = scaler.Apply(train)
	l, record, err := s.train(ctx, train)
	if err != nil {
		return nil, err
	}
	m := monitor{Tolerant: l, scores: s.Unknown.Scores, parts: s.Unknown.Combine}
	m.observeHidden(train)
	predict := func(e *data.Examples) predictions { return m.predict(scaler.Apply(restricted(e, kept))) }
	t := newTables(s, all.Classes())
	validation, inside := predict(all.Subset(judge)), predict(test)
	if s.Without {
		t.distinguish(unseenClass, inside, predict(unseen))
		return t.set(), nil
	}
	t.decide(validation, inside)
	t.promise(record, validation, inside)
	t.list(testPart, inside)
	for _, o := range s.Outside {
		outside := predict(o.examples)
		if o.Labelled {
			t.near(o.Name, math.NaN(), validation, inside, outside)
		} else {
			t.distinguish(o.Name, inside, outside)
		}
	}
	for _, n := range s.Near {
		for _, degree := range n.Degrees {
			changed := n.of(test, degree, s.Stream("near", n.Kind, table.Format(degree)))
			t.near(n.Kind, degree, validation, inside, predict(changed))
		}
	}
	return t.set(), nil
}

// train returns the trained learner, and a record of how it predicted the examples of the second
// half of the pass before it learned them. The record is empty without promises, and of what
// learns all examples at once or in several passes.
func (s spec) train(ctx context.Context, train *data.Examples) (l *learner.Tolerant, r bnn.TrackRecord, err error) {
	src := s.Stream("method", s.Method.Name)
	order := func(pass int) rand.Source { return s.Stream("pass", pass) }
	if len(s.Unknown.Promise) == 0 || !s.Method.Online() || s.Method.Passes > 1 || s.Method.OwnOrders {
		l, err = s.Method.Train(ctx, train, src, order)
		return l, r, err
	}
	if l, err = s.Method.Learner(train.Inputs(), len(train.Classes()), src); err != nil {
		return nil, r, err
	}
	seen := 0
	course := learner.Course{Examples: train, Order: order, Before: func(x []float64, class int) {
		if seen++; seen > train.Len()/2 {
			p := l.Before(x)
			r.Add(floats.Max(p), floats.MaxIdx(p) != class)
		}
	}}
	return l, r, course.Train(ctx, l)
}

// only returns both parts without the examples of other classes than some, or without those of these. The test
// part may have fewer classes than the training part, whose numbers they have.
func only(train, test *data.Examples, classes []string, among bool) (_, _ *data.Examples, err error) {
	train, _, err = dataset.Parts(train, rows(train, classes, among), nil)
	if err == nil {
		test, err = dataset.Align(train, test.Subset(rows(test, classes, among)))
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
