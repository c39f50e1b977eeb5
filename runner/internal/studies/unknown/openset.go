package unknown

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"closedform/internal/field"
	"closedform/runner/internal/config"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// OpenSet is the study of open-set recognition.
var OpenSet = study.Kind{
	Name: "open_set",
	Asks: "Are examples of classes that were never learned told from those of the learned ones?",
	New: study.Decoded(func(*config.Manifest) *openSet {
		return &openSet{OpenSet: openSettings{Validation: 1. / 6}, OnData: newOnData()}
	}),
}

type openSet struct {
	OnData
	OpenSet openSettings `toml:"open_set"`
}

type openSettings struct {
	Known      [][]string `toml:"known" allowed:"lists of classes, each of two or more"` // of each split
	Validation float64    `toml:"validation"`                                            // share of the training examples that p-values are taken from

	// Choose names the methods whose scores are also judged without a test example: of the known
	// classes of each split each is kept from the training in turn.
	Choose []string `toml:"choose,omitempty"`
}

// openScores are the scores that are compared.
var openScores = slices.Concat([]score{probability, entropy, mutual}, ofLayer, []score{combined})

func (e *openSet) Validate() error {
	o := e.OpenSet
	for _, classes := range o.Known {
		if len(classes) < 2 {
			return field.Errorf("open_set.known", "%q is not allowed; allowed: lists of two or more classes", classes)
		}
		if err := once("open_set.known", classes); err != nil {
			return err
		}
	}
	return cmp.Or(
		field.AllOneOf("open_set.choose", o.Choose, learner.Names(e.Methods)...), share("open_set.validation", o.Validation),
		learner.Check(e.Methods, 0, false),
	)
}

func (e *openSet) Prepare(context.Context) error {
	if err := e.load(); err != nil {
		return err
	}
	classes := e.Data.Classes()
	for _, known := range e.OpenSet.Known {
		if err := field.AllOneOf("open_set.known", known, classes...); err != nil {
			return e.Manifest.Locate("", err)
		}
		if len(known) == len(classes) {
			return e.Manifest.Errorf("open_set.known", "%q are all classes; allowed: all but one at most", known)
		}
	}
	return nil
}

// Notes implements [study.Noted].
func (e *openSet) Notes(tables table.Set) []string { return learner.BrokenDown(tables.Get("runs")) }

// openSpec is all that the table of a cell follows from: one method, split and seed, with the classes
// that are known and, of these, the one that is kept from the training.
type openSpec struct {
	study.Seeded
	Data       data.Source
	Validation float64
	Known      []string
	Left       string `json:",omitempty"`
	Split      int
	Method     learner.Method
}

func (e *openSet) Cells() (cells []study.Cell) {
	for _, m := range e.Methods {
		for k, known := range e.OpenSet.Known {
			left := []string{""}
			if len(known) > 2 && slices.Contains(e.OpenSet.Choose, m.Name) {
				left = append(left, known...)
			}
			for _, class := range left {
				for _, seed := range e.Seeds {
					s := openSpec{study.Seeded{Manifest: e.Manifest.Name, Seed: seed}, e.Data, e.OpenSet.Validation, known, class, k + 1, m}
					key := fmt.Sprintf("%s split=%d seed=%d", m.Name, k+1, seed)
					if class != "" {
						key += " left=" + class
					}
					cells = append(cells, study.Cell{Key: key, Spec: s, Run: s.run})
				}
			}
		}
	}
	return cells
}

// run trains a learner of the known classes, and scores known and unknown examples. Where one of
// the known classes is kept back, what is scored are training examples that were not learned.
func (s openSpec) run(ctx context.Context) (table.Set, error) {
	all, test, err := s.Data.Unscaled(s.Stream("data"))
	if err != nil {
		return nil, err
	}
	unknown := test.Subset(rows(test, s.Known, false))
	known := s.Known
	if s.Left != "" {
		all = all.Subset(rows(all, s.Known, true))
		learn, judge, err := all.Split(s.Validation, s.Stream("judge"))
		if err != nil {
			return nil, err
		}
		all, test = all.Subset(learn), all.Subset(judge)
		unknown = test.Subset(rows(test, []string{s.Left}, true))
		known = slices.DeleteFunc(slices.Clone(known), func(c string) bool { return c == s.Left })
	}
	if all, test, err = only(all, test, known, true); err != nil {
		return nil, err
	}
	learn, validation, err := all.Split(s.Validation, s.Stream("validation"))
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
	m := monitor{Tolerant: l, scores: openScores, raw: true}
	m.predict(scaler.Apply(all.Subset(validation))) // the reference of what follows
	return table.Set{s.scored(l, train.Len(), m.predict(scaler.Apply(test)), m.predict(scaler.Apply(unknown)))}, nil
}

// scored has a row for each score that the learner has.
func (s openSpec) scored(l *learner.Tolerant, train int, known, other predictions) *table.Table {
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
	for _, name := range known.scores {
		inside, outside := known.by[name], other.by[name]
		var correct []float64
		for i, x := range inside {
			if !known.wrong[i] {
				correct = append(correct, x)
			}
		}
		auroc, _ := metric.Detection(inside, outside)
		right, _ := metric.Detection(correct, outside)
		t.Add(s.Method.Name, s.Split, strings.Join(s.Known, " "), s.Left, s.Seed, train, string(name), auroc, accuracy*right, accuracy,
			metric.AURC(inside, known.wrong), metric.ExcessAURC(inside, known.wrong), metric.AUGRC(inside, known.wrong), l.Steps().Row())
	}
	return t
}

// Tables adds the means over the splits and seeds: "summary" for the classes that nothing was
// learned of, "chosen" for known classes that were kept back in turn.
func (e *openSet) Tables(cells []table.Set) (table.Set, error) {
	return table.Merge(cells, func(t table.Set) (derived table.Set) {
		rows := map[string][]int{}
		for i, class := range t.Get("runs").Texts("left") {
			name := "summary"
			if class != "" {
				name = "chosen"
			}
			rows[name] = append(rows[name], i)
		}
		columns := []string{"auroc", "oscr", "accuracy", "aurc", "excess_aurc", "augrc"}
		for _, name := range []string{"summary", "chosen"} {
			if rows[name] != nil {
				derived = append(derived, t.Get("runs").Rows(rows[name]).GroupBy("method", "score").Shares(columns...).Mean(name, columns...))
			}
		}
		return derived
	})
}

var _ study.WithData = (*openSet)(nil)
