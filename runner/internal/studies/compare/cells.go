package compare

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// spec is all that the tables of a cell, one method on one split of a set, follow
// from.
type spec struct {
	study.Seeded
	Set        string
	Source     data.Source
	Method     learner.Method
	Validation float64
	Classes    int // most classes of a set, for the columns of the predictions
}

func (e *experiment) Cells() []study.Cell {
	var cells []study.Cell
	for _, m := range e.Methods {
		for _, set := range e.Sets {
			all := len(e.Seeds)
			for _, seed := range e.Seeds[:min(all, cmp.Or(m.Splits, all), cmp.Or(set.Splits, all))] {
				s := e.spec(m.Method, set, seed)
				cells = append(cells, study.Cell{Key: fmt.Sprintf("%s %s seed=%d", m.Name, set.Name, seed), Spec: s, Run: s.run, Uses: m.Uses()})
			}
		}
	}
	return cells
}

func (e *experiment) spec(m learner.Method, of data.Named, seed int) spec {
	return spec{study.Seeded{Manifest: cmp.Or(e.Compare.SplitsOf, e.Manifest.Name), Seed: seed}, of.Name, of.Source, m, e.Compare.Validation, e.classes}
}

// run chooses the hyper-parameters, learns with them and scores what was learned.
// The split and the part for validation are the same for all methods of a seed;
// the test part is not looked at before the choice is made.
func (s spec) run(ctx context.Context) (table.Set, error) {
	train, test, err := s.Source.Unscaled(s.Stream("data", s.Set))
	if err != nil {
		return nil, err
	}
	l, scaled, choice, err := s.lesson().Train(ctx, s.Method, train, test)
	if err != nil {
		return nil, err
	}
	p, class := l.Test(scaled)
	runs := table.New("runs", slices.Concat([]table.Column{
		table.Text("set", "the data set"), table.Text("method", "the learner"), table.Int("seed", "of the split, the order and the method"),
		table.Int("train", "training examples"), table.Int("test", "test examples"),
	}, learner.ChoiceColumns("part"), learner.ScoreColumns(), learner.StepColumns())...)
	runs.Add(s.Set, s.Method.Name, s.Seed, train.Len(), test.Len(), choice.Row(l), learner.Scores(p, class), l.Steps().Row())
	return table.Set{runs, s.predictions(p, class, train.Classes())}, nil
}

func (s spec) lesson() learner.Lesson {
	return learner.Lesson{
		Scale: s.Source.Scale, Validation: s.Validation, Split: s.Stream("validation", s.Set),
		Learner: func() rand.Source { return s.Stream("method", s.Set, s.Method.Name) },
		Order:   func(pass int) rand.Source { return s.Stream("pass", s.Set, pass) },
	}
}

// predictions lists the probabilities of all test examples. Sets with fewer classes
// than others leave the last columns empty.
func (s spec) predictions(p [][]float64, class []int, names []string) *table.Table {
	t := table.New("predictions", append([]table.Column{
		table.Text("set", "the data set"), table.Text("method", "the learner"), table.Int("seed", "as in runs"),
		table.Int("example", "of the test part, from 1"), table.Text("class", "the true one"),
	}, learner.ProbabilityColumns(s.Classes, "probability of a class of the set, in their order")...)...)
	t.Packed = true
	for i := range p {
		t.Add(s.Set, s.Method.Name, s.Seed, i+1, names[class[i]], p[i], table.Gaps(s.Classes-len(p[i])))
	}
	return t
}

// Measure implements [study.Timed]: how long every method takes to learn every set,
// with the hyper-parameters that were chosen on the first split, and to predict an
// example. Choosing takes as many times longer as there are candidates. A method that sees one
// example after another takes as long for each, so some are enough.
func (e *experiment) Measure(ctx context.Context, tables table.Set) (table.Set, error) {
	t := table.New("timing_methods",
		table.Text("set", "the data set"), table.Text("method", "the learner"), table.Int("train", "training examples that were learned"),
		table.Num("learn_seconds", "to learn them, in seconds"), table.Num("predict_microseconds", "to predict an example, in microseconds"),
		table.Num("bytes", "memory of a learner before the first example, of those that see one after another"))
	runs := tables.Get("runs").Where("seed", e.Seeds[0])
	for _, set := range e.Sets {
		for _, m := range e.Methods {
			s := e.spec(m.Method, set, e.Seeds[0])
			method, err := m.Chosen(runs.Where("set", set.Name).Where("method", m.Name).Texts("chosen")[0])
			if err != nil {
				return nil, err
			}
			train, test, err := s.Source.Unscaled(s.Stream("data", s.Set))
			if err != nil {
				return nil, err
			}
			memory := math.NaN()
			if m.Online() {
				train, test = train.First(2000), test.First(2000)
				if memory, err = s.memory(method, train); err != nil {
					return nil, err
				}
			}
			begin := time.Now()
			l, scaled, err := s.lesson().Learn(ctx, method, train, test)
			if err != nil {
				return nil, err
			}
			l.Test(scaled.Subset([]int{0})) // a batch method fits when it is first asked
			learned := time.Now()
			l.Test(scaled)
			t.Add(s.Set, m.Name, train.Len(), learned.Sub(begin).Seconds(),
				float64(time.Since(learned).Nanoseconds())/1000/float64(test.Len()), table.Finite(memory))
			l.Release()
		}
	}
	return table.Set{t}, nil
}

// memory returns the bytes of a learner.
func (s spec) memory(m learner.Method, e *data.Examples) (float64, error) {
	var before, after runtime.MemStats
	runtime.GC() // twice, for what pools keep until then
	runtime.GC()
	runtime.ReadMemStats(&before)
	l, err := m.Learner(e.Inputs(), len(e.Classes()), s.lesson().Learner())
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(l)
	return float64(int64(after.HeapAlloc) - int64(before.HeapAlloc)), err
}
