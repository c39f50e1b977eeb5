// Package sorted is the study of streams that are sorted by class: methods learn one class after
// another, one example at a time, in one pass, and the same examples shuffled. Every answer is
// one of all classes: class-incremental learning in the words of van de Ven and Tolias, "Three
// scenarios for continual learning", arXiv 1904.07734 (2019), with a class for each task.
package sorted

import (
	"context"
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
	Name: "sorted",
	Asks: "What do methods retain when the classes come one after another?",
	New: func(m *config.Manifest) (_ study.Experiment, err error) {
		e := &experiment{manifest: m, Model: learner.DefaultModel()}
		if err = m.Decode(e); err == nil {
			e.seeds, err = m.Seeds(e.Sweep.Seed)
		}
		return e, err
	},
}

type experiment struct {
	Sweep config.Sweep `toml:"sweep"`
	data.Sources
	Model   learner.Model `toml:"model"`
	Methods []method      `toml:"method" inherit:"model" allowed:"at least one table headed [[method]]"`

	manifest *config.Manifest
	seeds    []int
}

// method learns the sets.
type method struct {
	learner.Method
	Sets []string `toml:"sets,omitempty"` // the names of those that it learns; none: all
}

// learns reports whether the method learns a set.
func (m method) learns(set data.Named) bool {
	return len(m.Sets) == 0 || slices.Contains(m.Sets, set.Name)
}

func (e *experiment) Validate() error {
	var names []string
	for _, s := range e.Sets {
		names = append(names, s.Name)
	}
	var all []learner.Method
	for _, m := range e.Methods {
		for _, set := range m.Sets {
			if !slices.Contains(names, set) {
				return field.Errorf("method."+m.Name+".sets", "%q is not allowed; allowed: %s", set, strings.Join(names, ", "))
			}
		}
		if !m.Online() {
			return field.Errorf("method."+m.Name+".kind", "%q is not allowed; allowed: kinds that see one example after another", m.Kind)
		}
		all = append(all, m.Method)
	}
	return learner.Check(all, 0, true)
}

func (e *experiment) Files() []string { return e.Paths(e.manifest.Folder) }

func (e *experiment) Prepare(context.Context) error {
	if err := e.Load(e.manifest); err != nil {
		return err
	}
	for _, s := range e.Sets {
		for _, m := range e.Methods {
			if !m.learns(s) {
				continue
			}
			if err := learner.Fit(e.manifest, []learner.Method{m.Method}, s.Inputs(), len(s.Classes())); err != nil {
				return err
			}
		}
	}
	return nil
}

// Notes implements [study.Noted].
func (e *experiment) Notes(tables table.Set) []string { return learner.BrokenDown(tables.Get("runs")) }

var _ study.WithData = (*experiment)(nil)

var _ study.Noted = (*experiment)(nil)
