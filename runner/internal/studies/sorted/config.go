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
	New: study.Decoded(func(*config.Manifest) *experiment {
		return &experiment{OnSets: learner.OnSets{Model: learner.DefaultModel()}}
	}),
}

type experiment struct {
	study.Swept
	learner.OnSets
}

func (e *experiment) Validate() error {
	for _, m := range e.Methods {
		if !m.Online() {
			return field.Errorf("method."+m.Name+".kind", "%q is not allowed; allowed: kinds that see one example after another", m.Kind)
		}
	}
	return e.Check()
}

func (e *experiment) Files() []string { return e.Paths(e.Manifest.Folder) }

func (e *experiment) Prepare(context.Context) error { return e.Load(e.Manifest) }

// Notes implements [study.Noted].
func (e *experiment) Notes(tables table.Set) []string { return learner.BrokenDown(tables.Get("runs")) }

var _ study.WithData = (*experiment)(nil)

var _ study.Noted = (*experiment)(nil)
