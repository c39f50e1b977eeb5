package openset

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"closedform/runner/dataset"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// spec is all that the table of a cell follows from: one method, split and seed, with the classes
// that are known and, of these, the one that is kept from the training.
type spec struct {
	study.Seeded
	Data       data.Source
	Validation float64
	Known      []string
	Left       string `json:",omitempty"`
	Split      int
	Method     learner.Method
}

func (e *experiment) Cells() (cells []study.Cell) {
	for _, m := range e.Methods {
		for k, known := range e.OpenSet.Known {
			left := []string{""}
			if len(known) > 2 && slices.Contains(e.OpenSet.Choose, m.Name) {
				left = append(left, known...)
			}
			for _, class := range left {
				for _, seed := range e.seeds {
					s := spec{study.Seeded{Manifest: e.manifest.Name, Seed: seed}, e.Data, e.OpenSet.Validation, known, class, k + 1, m}
					key := fmt.Sprintf("%s split=%d seed=%d", m.Name, k+1, seed)
					stratum := m.Name
					if class != "" {
						key, stratum = key+" left="+class, stratum+" left"
					}
					cells = append(cells, study.Cell{Key: key, Spec: s, Run: s.run, Stratum: stratum, Uses: m.Uses()})
				}
			}
		}
	}
	return cells
}

// run trains a learner of the known classes, and scores known and unknown examples. Where one of
// the known classes is kept back, what is scored are training examples that were not learned.
func (s spec) run(ctx context.Context) (table.Set, error) {
	all, test, err := s.Data.Unscaled(s.Stream("data"))
	if err != nil {
		return nil, err
	}
	all = all.Subset(rows(all, s.Known, true))
	unknown := test.Subset(rows(test, s.Known, false))
	test = test.Subset(rows(test, s.Known, true))
	if s.Left != "" {
		learn, judge, err := all.Split(s.Validation, s.Stream("judge"))
		if err != nil {
			return nil, err
		}
		held, left := all.Subset(judge), []string{s.Left}
		all = all.Subset(learn)
		all = all.Subset(rows(all, left, false))
		unknown, test = held.Subset(rows(held, left, true)), held.Subset(rows(held, left, false))
	}
	learn, validation, err := all.Split(s.Validation, s.Stream("validation"))
	if err != nil {
		return nil, err
	}
	train, held, err := dataset.Parts(all, learn, validation)
	if err == nil {
		test, err = dataset.Align(train, test)
	}
	if err != nil {
		return nil, err
	}
	scaler, err := train.Scaler(s.Data.Scale)
	if err != nil {
		return nil, err
	}
	l, err := s.Method.Train(ctx, scaler.Apply(train), s.Stream("method", s.Method.Name),
		func(pass int) rand.Source { return s.Stream("pass", pass) })
	if err != nil {
		return nil, err
	}
	var parts [3]looked
	for i, e := range []*data.Examples{held, test, unknown} {
		if parts[i], err = look(l, scaler.Apply(e)); err != nil {
			return nil, err
		}
		parts[i].combine(parts[0])
	}
	return table.Set{s.scored(l, train.Len(), parts[1], parts[2])}, nil
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

// scored has a row for each score that the learner has.
func (s spec) scored(l *learner.Tolerant, train int, known, other looked) *table.Table {
	t := table.New("runs", slices.Concat([]table.Column{
		table.Text("method", "the learner"), table.Int("split", "of the classes, from 1"), table.Text("known", "the classes that are known"),
		table.Text("left", "of these the one that was not learned, and is what is unknown; empty: the other classes are"),
		table.Int("seed", "of the part for validation, the order and the method"), table.Int("train", "training examples"),
		table.Text("score", "by which known and unknown examples are told apart"),
		table.Num("auroc", "area under the ROC curve of known against unknown examples: the probability that a known one has the larger score"),
		table.Num("oscr", "area under the curve of correctly classified known examples over accepted unknown ones (Dhamija, Günther and Boult 2018)"),
		table.Num("accuracy", "share of known examples whose most probable class is right"),
		table.Num("aurc", "area under the risk–coverage curve of the known examples, in the order of the score"),
		table.Num("excess_aurc", "aurc less that of the best order"),
		table.Num("augrc", "area under the generalised risk–coverage curve (Traub et al. 2024)"),
	}, learner.StepColumns())...)
	accuracy := metric.Accuracy(known.p, known.class)
	wrong := make([]bool, len(known.p))
	for i, p := range known.p {
		wrong[i] = floats.MaxIdx(p) != known.class[i]
	}
	for _, name := range scores {
		inside, outside := known.By[name], other.By[name]
		if inside == nil {
			continue
		}
		var correct []float64
		for i, x := range inside {
			if !wrong[i] {
				correct = append(correct, x)
			}
		}
		auroc, _ := metric.Detection(inside, outside)
		right, _ := metric.Detection(correct, outside)
		t.Add(s.Method.Name, s.Split, strings.Join(s.Known, " "), s.Left, s.Seed, train, string(name),
			auroc, accuracy*right, accuracy,
			metric.AURC(inside, wrong), metric.ExcessAURC(inside, wrong), metric.AUGRC(inside, wrong), l.Steps().Row())
	}
	return t
}
