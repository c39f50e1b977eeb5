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
	New: study.Decoded(func(m *config.Manifest) *experiment {
		return &experiment{header: m.Header, Networks: learner.Networks{Model: learner.DefaultModel()}}
	}),
}

type experiment struct {
	study.Plain
	Data  data.Sample `toml:"data"`
	Order settings    `toml:"order"`
	learner.Networks
	header config.Header
}

func (e *experiment) SetUp(m *config.Manifest) error {
	e.Data.Generator = e.Data.WithDefaults()
	return cmp.Or(learner.Increasing("order.sizes", e.Order.Sizes, e.Data.Train), e.Resolve(m), e.Fit(m, data.Inputs, e.Data.Task().Classes))
}

type settings struct {
	Permutations int   `toml:"permutations" allowed:"2 to 1,000"`                   // orders of each training set
	Samples      int   `toml:"samples" allowed:"2 to 1,000"`                        // other training sets beside it, the yardstick
	Sizes        []int `toml:"sizes" allowed:"increasing numbers up to data.train"` // of the training set: the first examples of one stream
	Test         int   `toml:"test" allowed:"1 to 1,000,000"`                       // inputs at which networks are compared and scored
	Mapped       int   `toml:"mapped" allowed:"one of sizes"`                       // the size whose maps are drawn
	Grid         int   `toml:"grid" allowed:"2 to 2,001"`                           // points of the maps along each axis
}

func (s *settings) Validate() error {
	if !slices.Contains(s.Sizes, s.Mapped) {
		return field.Errorf("mapped", "%d is not allowed; allowed: one of sizes = %v", s.Mapped, s.Sizes)
	}
	return nil
}
