// Package hidden is the study of hidden layers: networks with and without them
// learn tasks that no linear model can, in one pass over the examples and in
// several.
package hidden

import (
	"cmp"
	"slices"

	"closedform/internal/field"
	"closedform/runner/internal/config"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "hidden",
	Asks: "What do hidden layers learn that a linear model cannot?",
	New: func(m *config.Manifest) (study.Experiment, error) {
		e := &experiment{header: m.Header, Networks: learner.Networks{Model: learner.DefaultModel()}}
		if err := m.Decode(e); err != nil {
			return nil, err
		}
		return e, cmp.Or(e.Resolve(m), m.Locate("", e.setUp()))
	},
}

type experiment struct {
	study.Plain
	Hidden           settings `toml:"hidden"`
	Tasks            []task   `toml:"task"`
	learner.Networks          // without layers: they follow from the tasks

	header config.Header
	models [][]learner.Variant // by task, with its layers
}

type settings struct {
	Test      int      `toml:"test"`      // test examples of each task
	Snapshots []int    `toml:"snapshots"` // numbers of examples of the first pass after which networks are scored
	Passes    []int    `toml:"passes"`    // numbers of passes over the training examples after which they are
	Grid      int      `toml:"grid"`      // points of the maps along each axis
	Maps      []string `toml:"maps"`      // the variants whose maps are drawn
}

// task is examples and what they are called.
type task struct {
	Name string `toml:"name"`
	data.Sample
}

func (s *settings) Validate() error {
	if len(s.Passes) == 0 {
		return field.Errorf("passes", "missing; allowed: at least one number of passes")
	}
	return cmp.Or(
		field.Within("test", s.Test, 1, config.MaxTrain), field.Within("grid", s.Grid, 2, config.MaxGrid),
		learner.Increasing("passes", s.Passes, 1000))
}

// setUp works out the models of each task.
func (e *experiment) setUp() error {
	names := learner.Names(e.Models)
	for _, name := range e.Hidden.Maps {
		if !slices.Contains(names, name) {
			return field.Errorf("hidden.maps", "%s is not a variant; allowed: %q", name, names)
		}
	}
	if len(e.Tasks) == 0 {
		return field.Errorf("task", "missing; allowed: at least one table headed [[task]]")
	}
	for i, t := range e.Tasks {
		e.Tasks[i].Generator = t.WithDefaults()
		models, err := learner.Fit(e.Models, data.Inputs, t.Task().Classes)
		if err := cmp.Or(learner.Increasing("hidden.snapshots", e.Hidden.Snapshots, t.Train), err); err != nil {
			return err
		}
		e.models = append(e.models, models)
	}
	return nil
}
