// Package order is the study of how much the order of the examples matters: the
// exact posterior does not depend on it. Networks learn a training set of every
// size in many orders; and, as a yardstick, other training sets of the same size.
package order

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
	Name: "order",
	Asks: "How much does the order of the examples matter?",
	New: func(m *config.Manifest) (study.Experiment, error) {
		e := &experiment{header: m.Header, Networks: learner.Networks{Model: learner.DefaultModel()}}
		if err := m.Decode(e); err != nil {
			return nil, err
		}
		e.Data.Generator = e.Data.WithDefaults()
		return e, cmp.Or(
			m.Locate("", learner.Increasing("order.sizes", e.Order.Sizes, e.Data.Train)),
			e.Resolve(m), e.Fit(m, data.Inputs, e.Data.Task().Classes))
	},
}

type experiment struct {
	study.Plain
	Data  data.Sample `toml:"data"`
	Order settings    `toml:"order"`
	learner.Networks
	header config.Header
}

type settings struct {
	Permutations int   `toml:"permutations"` // orders of each training set
	Samples      int   `toml:"samples"`      // other training sets beside it, the yardstick
	Sizes        []int `toml:"sizes"`        // of the training set: the first examples of one stream
	Test         int   `toml:"test"`         // inputs at which networks are compared and scored
	Mapped       int   `toml:"mapped"`       // the size whose maps are drawn
	Grid         int   `toml:"grid"`         // points of the maps along each axis
}

func (s *settings) Validate() error {
	if !slices.Contains(s.Sizes, s.Mapped) {
		return field.Errorf("mapped", "%d is not allowed; allowed: one of sizes = %v", s.Mapped, s.Sizes)
	}
	const most = 1000 // orders of one training set
	return cmp.Or(
		field.Within("permutations", s.Permutations, 2, most), field.Within("samples", s.Samples, 2, most),
		field.Within("test", s.Test, 1, config.MaxTrain), field.Within("grid", s.Grid, 2, config.MaxGrid))
}
