// Package openset is the study of open-set recognition: methods learn some classes of a data set,
// and are to tell test examples of these from those of the other classes.
package openset

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"closedform/internal/field"
	"closedform/runner/internal/confidence"
	"closedform/runner/internal/config"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "open_set",
	Asks: "Are examples of classes that were never learned told from those of the learned ones?",
	New: func(m *config.Manifest) (_ study.Experiment, err error) {
		e := &experiment{
			manifest: m, OpenSet: settings{Validation: 1. / 6, Score: confidence.Combined},
			Learners: learner.Learners{Model: learner.DefaultModel()},
		}
		if err = m.Decode(e); err == nil {
			e.seeds, err = m.Seeds(e.Sweep.Seed)
		}
		return e, err
	},
}

type experiment struct {
	Data    data.Source  `toml:"data"`
	OpenSet settings     `toml:"open_set"`
	Sweep   config.Sweep `toml:"sweep"`
	learner.Learners

	manifest *config.Manifest
	seeds    []int
}

type settings struct {
	Known      [][]string       `toml:"known" allowed:"lists of classes, each of two or more"` // of each split
	Validation float64          `toml:"validation"`                                            // share of the training examples that p-values are taken from
	Score      confidence.Score `toml:"score"`                                                 // the one that stands for the project

	// Choose names the methods whose scores are also judged without a test example: of the known
	// classes of each split each is kept from the training in turn.
	Choose []string `toml:"choose,omitempty"`
}

func (e *experiment) Validate() error {
	o := e.OpenSet
	for _, classes := range o.Known {
		if len(classes) < 2 {
			return field.Errorf("open_set.known", "%q is not allowed; allowed: lists of two or more classes", classes)
		}
		for i, c := range classes {
			if slices.Contains(classes[:i], c) {
				return field.Errorf("open_set.known", "%q is there twice", c)
			}
		}
	}
	for _, name := range o.Choose {
		if !slices.ContainsFunc(e.Methods, func(m learner.Method) bool { return m.Name == name }) {
			return field.Errorf("open_set.choose", "%q is not allowed; allowed: names of [[method]]s", name)
		}
	}
	if !(0 < o.Validation && o.Validation < 1) {
		return field.Errorf("open_set.validation", "%g is not allowed; allowed: above 0 and below 1", o.Validation)
	}
	return cmp.Or(field.OneOf("open_set.score", o.Score, scores...), learner.Check(e.Methods, 0, false))
}

func (e *experiment) Files() []string { return e.Data.Paths(e.manifest.Folder) }

func (e *experiment) About() []string { return e.Data.About() }

func (e *experiment) Prepare(context.Context) error {
	if err := e.Data.Load(e.manifest.Folder); err != nil {
		return e.manifest.Locate("data", err)
	}
	classes := e.Data.Classes()
	for _, known := range e.OpenSet.Known {
		for _, c := range known {
			if !slices.Contains(classes, c) {
				return e.manifest.Errorf("open_set.known", "%q is not allowed; allowed: %s", c, strings.Join(classes, ", "))
			}
		}
		if len(known) == len(classes) {
			return e.manifest.Errorf("open_set.known", "%q are all classes; allowed: all but one at most", known)
		}
	}
	return learner.Fit(e.manifest, e.Methods, e.Data.Inputs(), len(classes))
}

// Notes implements [study.Noted].
func (e *experiment) Notes(tables table.Set) []string { return learner.BrokenDown(tables.Get("runs")) }

var (
	_ study.WithData = (*experiment)(nil)
	_ study.Noted    = (*experiment)(nil)
)
