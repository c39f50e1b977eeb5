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
	New: study.Decoded(func(m *config.Manifest) *experiment {
		return &experiment{header: m.Header, Networks: learner.Networks{Model: learner.DefaultModel()}}
	}),
}

type experiment struct {
	study.Plain
	Hidden           settings `toml:"hidden"`
	Tasks            []task   `toml:"task" allowed:"at least one table headed [[task]]"`
	learner.Networks          // without layers: they follow from the tasks

	header config.Header
	models [][]learner.Named // by task, with its layers
}

type settings struct {
	Test      int      `toml:"test" allowed:"1 to 1,000,000"`                       // test examples of each task
	Snapshots []int    `toml:"snapshots" allowed:"increasing numbers"`              // numbers of examples of the first pass after which networks are scored
	Passes    []int    `toml:"passes" allowed:"increasing numbers from 1 to 1,000"` // numbers of passes over the training examples after which they are
	Grid      int      `toml:"grid" allowed:"2 to 2,001"`                           // points of the maps along each axis
	Maps      []string `toml:"maps"`                                                // the methods whose maps are drawn, after the first of the passes
}

// task is examples and what they are called.
type task struct {
	Name string `toml:"name" allowed:"a text"`
	data.Sample
}

func (s *settings) Validate() error {
	return learner.Increasing("passes", s.Passes, 1000)
}

// SetUp works out the models of each task.
func (e *experiment) SetUp(m *config.Manifest) error {
	if err := e.Resolve(m); err != nil {
		return err
	}
	names := learner.Names(e.Models)
	for _, name := range e.Hidden.Maps {
		if !slices.Contains(names, name) {
			return field.Errorf("hidden.maps", "%s is not a method; allowed: %q", name, names)
		}
	}
	for i, t := range e.Tasks {
		e.Tasks[i].Generator = t.WithDefaults()
		models, err := learner.FitNamed(e.Models, data.Inputs, t.Task().Classes)
		if err := cmp.Or(learner.Increasing("hidden.snapshots", e.Hidden.Snapshots, t.Train), err); err != nil {
			return err
		}
		e.models = append(e.models, models)
	}
	return nil
}
