// Package hidden is the study of hidden layers: networks with and without them
// learn tasks that no linear model can, in one pass over the examples and in
// several.
package hidden

import (
	"context"
	"slices"

	"closedform/core/field"
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
		e := &experiment{manifest: m, Model: learner.DefaultModel()}
		if err := m.Decode(e); err != nil {
			return nil, err
		}
		return e, m.Locate("", e.setUp())
	},
}

type experiment struct {
	Hidden   settings          `toml:"hidden"`
	Model    learner.Model     `toml:"model"` // has no layers: they follow from the tasks
	Sweep    learner.Sweep     `toml:"sweep"`
	Tasks    []task            `toml:"task"`
	Variants []learner.Variant `toml:"variant" inherit:"model"`

	manifest *config.Manifest
	seeds    []int
	models   [][]learner.Variant // by task, with its layers
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

// Validate reports what is not allowed.
func (s *settings) Validate() error {
	if err := field.Within("test", s.Test, 1, config.MaxTrain); err != nil {
		return err
	}
	if err := field.Within("grid", s.Grid, 2, config.MaxGrid); err != nil {
		return err
	}
	if len(s.Passes) == 0 {
		return field.Errorf("passes", "missing; allowed: at least one number of passes")
	}
	return learner.Increasing("passes", s.Passes, 1000)
}

// setUp works out what follows from the manifest.
func (e *experiment) setUp() (err error) {
	if e.seeds, err = e.manifest.Seeds(e.Sweep.Seed); err != nil {
		return err
	}
	models, err := e.Sweep.Models(e.Model, e.Variants)
	if err != nil {
		return err
	}
	names := learner.Names(models)
	for _, name := range e.Hidden.Maps {
		if !slices.Contains(names, name) {
			return field.Errorf("hidden.maps", "%s is not a variant; allowed: %q", name, names)
		}
	}
	if len(e.Tasks) == 0 {
		return field.Errorf("task", "missing; allowed: at least one table headed [[task]]")
	}
	e.models = make([][]learner.Variant, len(e.Tasks))
	for i, t := range e.Tasks {
		e.Tasks[i].Generator = t.WithDefaults()
		if err := learner.Increasing("hidden.snapshots", e.Hidden.Snapshots, t.Train); err != nil {
			return err
		}
		if e.models[i], err = learner.Fit(models, data.Inputs, t.Task().Classes); err != nil {
			return err
		}
	}
	return nil
}

func (e *experiment) Config() any                   { return e }
func (e *experiment) Prepare(context.Context) error { return nil }

var _ study.Experiment = (*experiment)(nil)
