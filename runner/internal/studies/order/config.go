// Package order is the study of how much the order of the examples matters: the
// exact posterior does not depend on it. Networks learn a training set of every
// size in many orders; and, as a yardstick, other training sets of the same size.
package order

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
	Name: "order",
	Asks: "How much does the order of the examples matter?",
	New: func(m *config.Manifest) (study.Experiment, error) {
		e := &experiment{manifest: m, Model: learner.DefaultModel()}
		if err := m.Decode(e); err != nil {
			return nil, err
		}
		return e, e.setUp()
	},
}

type experiment struct {
	Data     data.Sample       `toml:"data"`
	Model    learner.Model     `toml:"model"`
	Order    settings          `toml:"order"`
	Sweep    learner.Sweep     `toml:"sweep"`
	Variants []learner.Variant `toml:"variant" inherit:"model"`

	manifest *config.Manifest
	seeds    []int
	models   []learner.Variant
	task     *data.Task
}

type settings struct {
	Permutations int   `toml:"permutations"` // orders of each training set
	Samples      int   `toml:"samples"`      // other training sets beside it, the yardstick
	Sizes        []int `toml:"sizes"`        // of the training set: the first examples of one stream
	Test         int   `toml:"test"`         // inputs at which networks are compared and scored
	Mapped       int   `toml:"mapped"`       // the size whose maps are drawn
	Grid         int   `toml:"grid"`         // points of the maps along each axis
}

// Validate reports what is not allowed.
func (s *settings) Validate() error {
	const most = 1000 // orders of one training set
	for _, c := range []struct {
		key          string
		value, least int
		most         int
	}{
		{"permutations", s.Permutations, 2, most},
		{"samples", s.Samples, 2, most},
		{"test", s.Test, 1, config.MaxTrain},
		{"grid", s.Grid, 2, config.MaxGrid},
	} {
		if err := field.Within(c.key, c.value, c.least, c.most); err != nil {
			return err
		}
	}
	if !slices.Contains(s.Sizes, s.Mapped) {
		return field.Errorf("mapped", "%d is not allowed; allowed: one of sizes = %v", s.Mapped, s.Sizes)
	}
	return nil
}

func (e *experiment) setUp() (err error) {
	if err := learner.Increasing("order.sizes", e.Order.Sizes, e.Data.Train); err != nil {
		return e.manifest.Locate("", err)
	}
	if e.seeds, err = e.manifest.Seeds(e.Sweep.Seed); err != nil {
		return err
	}
	e.Data.Generator = e.Data.Generator.WithDefaults()
	e.task = e.Data.Task()
	if e.models, err = e.Sweep.Models(e.Model, e.Variants); err == nil {
		e.models, err = learner.Fit(e.models, data.Inputs, e.task.Classes)
	}
	return e.manifest.Locate("", err)
}

func (e *experiment) Config() any                   { return e }
func (e *experiment) Prepare(context.Context) error { return nil }

var _ study.Experiment = (*experiment)(nil)
