// Package compare is the study of small real data sets: methods learn the same
// splits of the same sets, each with hyper-parameters that are chosen on a part of
// the training examples.
package compare

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
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "compare",
	Asks: "How do the network and other methods score on real data, chosen on equal terms?",
	New: study.Decoded(func(m *config.Manifest) *experiment {
		return &experiment{
			Compare: settings{Validation: 0.2}, Swept: study.Swept{Manifest: m}, Model: learner.DefaultModel(),
		}
	}),
}

type experiment struct {
	Compare settings `toml:"compare"`
	study.Swept
	data.Sources
	Model   learner.Model    `toml:"model"`
	Methods []learner.Method `toml:"method" inherit:"model" allowed:"at least one table headed [[method]]"`

	Contrasts []contrast `toml:"contrast,omitempty"`

	classes int // most classes of a set; 0 before Prepare
}

type settings struct {
	Budget     int     `toml:"budget" allowed:"1 to 100"`                    // the most candidates of a method
	Validation float64 `toml:"validation"`                                   // share of the training examples by which candidates are judged
	Reference  string  `toml:"reference" allowed:"the name of a [[method]]"` // the method that others are compared with
	SplitsOf   string  `toml:"splits_of,omitempty"`                          // the name of the experiment that has the same random numbers; its own

	// LeaveOut names methods one of which is chosen for each set by its mean log loss over the others.
	LeaveOut []string `toml:"leave_out,omitempty"`
}

func (e *experiment) Validate() error {
	c := e.Compare
	for _, s := range e.Sets {
		if s.Name == allSets {
			return field.Errorf("set."+s.Name+".name", "allowed: a name other than %s", allSets)
		}
	}
	for _, m := range e.Methods {
		if m.Splits > 0 && m.Name == c.Reference {
			return field.Errorf("method."+m.Name+".splits", "%d is not allowed; allowed: 1 or more, or 0 for all, as for the reference", m.Splits)
		}
	}
	for _, name := range c.LeaveOut {
		if !e.named(name) || len(e.Sets) < 2 {
			return field.Errorf("compare.leave_out", "%q is not allowed; allowed: names of [[method]]s, with two or more sets", name)
		}
	}
	switch {
	case !e.named(c.Reference):
		return field.Errorf("compare.reference", "%q is not allowed; allowed: the name of a [[method]]", c.Reference)
	case !(0 < c.Validation && c.Validation < 1):
		return field.Errorf("compare.validation", "%g is not allowed; allowed: above 0 and below 1", c.Validation)
	}
	return cmp.Or(e.checkSplitsOf(), e.checkContrasts(), learner.Rules{Candidates: c.Budget, Splits: true}.Check(e.Methods))
}

// former are experiments that were removed, whose splits another one keeps.
var former = []string{"defaults"}

// checkSplitsOf reports a splits_of that names no experiment in the folder of the manifest and none of former.
func (e *experiment) checkSplitsOf() error {
	name := e.Compare.SplitsOf
	if name == "" || slices.Contains(former, name) {
		return nil
	}
	known, err := config.List(e.Manifest.Folder)
	if err == nil && !slices.Contains(known, name) {
		err = field.Errorf("compare.splits_of", "%q is not allowed; allowed: the name of an experiment in %s, or %s",
			name, e.Manifest.Folder, strings.Join(former, ", "))
	}
	return err
}

// named reports whether the manifest has a method with this name.
func (e *experiment) named(name string) bool {
	return slices.ContainsFunc(e.Methods, func(m learner.Method) bool { return m.Name == name })
}

func (e *experiment) Files() []string { return e.Paths(e.Manifest.Folder) }

func (e *experiment) Prepare(context.Context) error {
	if err := e.Load(e.Manifest); err != nil {
		return err
	}
	for _, s := range e.Sets {
		e.classes = max(e.classes, len(s.Classes()))
		if err := learner.Fit(e.Manifest, e.Methods, "", s.Inputs(), len(s.Classes())); err != nil {
			return err
		}
	}
	return nil
}

func (e *experiment) Notes(tables table.Set) []string { return learner.BrokenDown(tables.Get("runs")) }

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

func (e *experiment) Cells() (cells []study.Cell) {
	for _, m := range e.Methods {
		for _, set := range e.Sets {
			all := len(e.Seeds)
			for _, seed := range e.Seeds[:min(all, cmp.Or(m.Splits, all), cmp.Or(set.Splits, all))] {
				s := e.spec(m, set, seed)
				cells = append(cells, study.Cell{Key: fmt.Sprintf("%s %s seed=%d", m.Name, set.Name, seed), Spec: s, Run: s.run})
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
	r, err := s.training().Run(ctx, s.Method, train, test)
	if err != nil {
		return nil, err
	}
	runs := table.New("runs", slices.Concat([]table.Column{
		table.Text("set", "the data set"), table.Text("method", "the learner"), table.Int("seed", "of the split, the order and the method"),
		table.Int("train", "training examples"), table.Int("test", "test examples"),
	}, learner.ChoiceColumns(), learner.ScoreColumns(), learner.StepColumns())...)
	runs.Add(s.Set, s.Method.Name, s.Seed, train.Len(), test.Len(), r.ChoiceRow(), learner.Scores(r.P, r.Class), r.Steps().Row())
	return table.Set{runs, s.predictions(r.P, r.Class, train.Classes())}, nil
}

func (s spec) training() learner.Training {
	return learner.Training{
		Scale: s.Source.Scale, Validation: s.Validation, Split: s.Stream("validation", s.Set),
		Random:  func() rand.Source { return s.Stream("method", s.Set, s.Method.Name) },
		Shuffle: func(pass int) rand.Source { return s.Stream("pass", s.Set, pass) },
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
