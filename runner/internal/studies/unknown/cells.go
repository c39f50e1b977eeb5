package unknown

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"closedform/runner/dataset"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/metric"
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
				for _, seed := range e.seeds {
					s := spec{
						study.Seeded{Manifest: e.manifest.Name, Seed: seed},
						e.Data, e.Outside, nil, e.Unknown, in, m,
						without != "", first && seed == e.manifest.Seed, first && len(e.Unknown.Promise) == 0,
					}
					if first {
						s.Near = e.Near
					}
					key := fmt.Sprintf("%s inputs=%s seed=%d%s", m.Name, in.Name, seed, without)
					cells = append(cells, study.Cell{Key: key, Spec: s, Run: s.run, Uses: m.Uses()})
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
	unseen := test.Subset(s.rows(test, true))
	if s.Without {
		if all, test, err = s.keepBack(all, test); err != nil {
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
	train = only(train, kept)
	scaler, err := train.Scaler(cmp.Or(s.Inputs.Scale, s.Data.Scale))
	if err != nil {
		return nil, err
	}
	train = scaler.Apply(train)
	l, record, err := s.train(ctx, train)
	if err != nil {
		return nil, err
	}
	m := newMonitor(l, s.Unknown, train)
	predict := func(e *data.Examples) predictions { return m.predict(scaler.Apply(only(e, kept))) }
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

func (s spec) order(pass int) rand.Source { return s.Stream("pass", pass) }

// keepBack returns both parts without the classes that are not learned. The test
// part may have fewer classes than the training part, whose numbers they have.
func (s spec) keepBack(train, test *data.Examples) (_, _ *data.Examples, err error) {
	learned, _, err := dataset.Parts(train, s.rows(train, false), nil)
	if err == nil {
		test, err = dataset.Align(learned, test.Subset(s.rows(test, false)))
	}
	return learned, test, err
}

// rows returns the numbers of the examples of classes that are unseen, or that are not.
func (s spec) rows(e *data.Examples, unseen bool) (rows []int) {
	for i := range e.Len() {
		if slices.Contains(s.Unknown.Unseen, e.Classes()[e.Class(i)]) == unseen {
			rows = append(rows, i)
		}
	}
	return rows
}

// leastThreshold returns the least confidence among those that occur with which no
// more than a share of all examples is decided wrong; infinite if there is none.
func leastThreshold(confidence []float64, wrong []bool, share float64) float64 {
	threshold, coverage, risk := metric.RiskCoverage(confidence, wrong)
	least := math.Inf(1)
	for i, t := range threshold {
		if coverage[i]*risk[i] > share {
			break
		}
		least = t
	}
	return least
}
