package unknown

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/core/kernel"
	"closedform/runner/dataset"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/methods"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// spec is all that the tables of a cell follow from: one method and seed, that has
// learned all classes or all but the unseen ones.
type spec struct {
	study.Seeded
	Data    data.Source
	Outside []outside
	Unknown settings
	Method  methods.Method
	Without bool // the unseen classes are kept from the training
	Curves  bool // whether the risk–coverage curve is written down
}

func (e *experiment) Cells() []study.Cell {
	var cells []study.Cell
	for _, m := range e.Methods {
		for _, without := range []string{"", " without"} {
			if without != "" && len(e.Unknown.Unseen) == 0 {
				continue
			}
			for _, seed := range e.seeds {
				s := spec{
					study.Seeded{Manifest: e.manifest.Name, Seed: seed},
					e.Data, e.Outside, e.Unknown, m,
					without != "", seed == e.manifest.Seed,
				}
				cells = append(cells, study.Cell{Key: fmt.Sprintf("%s seed=%d%s", m.Name, seed, without), Spec: s, Run: s.run})
			}
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
	scaler, err := train.Scaler(s.Data.Scale)
	if err != nil {
		return nil, err
	}
	l, err := s.Method.Train(ctx, scaler.Apply(train), s.Stream("method", s.Method.Name), func(pass int) rand.Source { return s.Stream("pass", pass) })
	if err != nil {
		return nil, err
	}
	t := newTables(s, all.Classes())
	inside := s.predict(l, scaler.Apply(test))
	if s.Without {
		t.distinguish(unseenClass, inside, s.predict(l, scaler.Apply(unseen)))
		return t.set(), nil
	}
	t.decide(s.predict(l, scaler.Apply(all.Subset(judge))), inside)
	t.list(testPart, inside)
	for _, o := range s.Outside {
		t.distinguish(o.Name, inside, s.predict(l, scaler.Apply(o.examples)))
	}
	return t.set(), nil
}

// keepBack returns both parts without the classes that are not learned. The test
// part may have fewer classes than the training part, whose numbers they have.
func (s spec) keepBack(train, test *data.Examples) (_, _ *data.Examples, err error) {
	learned, _, err := dataset.Parts(train, s.rows(train, false), nil)
	if err != nil {
		return nil, nil, err
	}
	test, err = dataset.Align(learned, test.Subset(s.rows(test, false)))
	return learned, test, err
}

// rows returns the numbers of the examples of classes that are unseen, or that are not.
func (s spec) rows(e *data.Examples, unseen bool) []int {
	var rows []int
	for i := range e.Len() {
		if slices.Contains(s.Unknown.Unseen, e.Classes()[e.Class(i)]) == unseen {
			rows = append(rows, i)
		}
	}
	return rows
}

// predictions are those of some examples, and how confident they are.
type predictions struct {
	p          [][]float64
	class      []int  // 0 where the true class is not one of those that were learned
	wrong      []bool // whether another class is the most probable
	confidence map[bnn.Confidence][]float64
}

// predict returns the predictions of a learner. It has no epistemic confidence if
// the learner knows no variances, nor that by mutual information if it has no members.
func (s spec) predict(l *learner.Tolerant, e *data.Examples) predictions {
	a := predictions{confidence: map[bnn.Confidence][]float64{}}
	a.p, a.class = l.Test(e)
	for i, p := range a.p {
		a.wrong = append(a.wrong, floats.MaxIdx(p) != a.class[i])
		a.confidence[bnn.Probability] = append(a.confidence[bnn.Probability], floats.Max(p))
		a.confidence[bnn.EntropyBased] = append(a.confidence[bnn.EntropyBased], 1-kernel.Entropy(p, 1)/kernel.Log(float64(len(p))))
	}
	if epistemic := l.TestEpistemic(e); epistemic != nil {
		a.confidence[bnn.Epistemic] = epistemic
	}
	if s.Unknown.MutualInformation {
		if mutual := l.TestMutualInformation(e); mutual != nil {
			a.confidence[bnn.MutualInformation] = mutual
		}
	}
	return a
}

// by returns the kinds of confidence that there are.
func (a predictions) by() []bnn.Confidence {
	kinds := []bnn.Confidence{bnn.Probability, bnn.EntropyBased}
	for _, by := range []bnn.Confidence{bnn.Epistemic, bnn.MutualInformation} {
		if a.confidence[by] != nil {
			kinds = append(kinds, by)
		}
	}
	return kinds
}

// leastThreshold returns the least confidence among those that occur with which no
// more than a share of all examples is decided wrong; more than 1 if there is none.
func leastThreshold(confidence []float64, wrong []bool, share float64) float64 {
	threshold, coverage, risk := metric.RiskCoverage(confidence, wrong)
	least := math.Nextafter(1, 2)
	for i, t := range threshold {
		if coverage[i]*risk[i] > share {
			break
		}
		least = t
	}
	return least
}
