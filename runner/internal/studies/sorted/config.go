// Package sorted is the study of streams that are sorted by class: methods learn one class after
// another, one example at a time, in one pass, and the same examples shuffled. Every answer is
// one of all classes: class-incremental learning in the words of van de Ven and Tolias, "Three
// scenarios for continual learning", arXiv 1904.07734 (2019), with a class for each task.
package sorted

import (
	"context"

	"closedform/internal/field"
	"closedform/runner/internal/config"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "sorted",
	Asks: "What do methods retain when the classes come one after another?",
	New: func(m *config.Manifest) (_ study.Experiment, err error) {
		e := &experiment{manifest: m, OnSets: learner.OnSets{Model: learner.DefaultModel()}}
		if err = m.Decode(e); err == nil {
			e.seeds, err = m.Seeds(e.Sweep.Seed)
		}
		return e, err
	},
}

type experiment struct {
	Sweep config.Sweep `toml:"sweep"`
	learner.OnSets

	manifest *config.Manifest
	seeds    []int
}

func (e *experiment) Validate() error {
	for _, m := range e.Methods {
		if !m.Online() {
			return field.Errorf("method."+m.Name+".kind", "%q is not allowed; allowed: kinds that see one example after another", m.Kind)
		}
	}
	return e.Check()
}

func (e *experiment) Files() []string { return e.Paths(e.manifest.Folder) }

func (e *experiment) Prepare(context.Context) error { return e.Load(e.manifest) }

// Notes implements [study.Noted].
func (e *experiment) Notes(tables table.Set) []string { return learner.BrokenDown(tables.Get("runs")) }

var _ study.WithData = (*experiment)(nil)

var _ study.Noted = (*experiment)(nil)
