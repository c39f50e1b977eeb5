// Package calibrate is the study of the λ, and the λ and ρ, with which the probit
// function is closest to the softmax over a box of logits. Nothing in it is random.
package calibrate

import (
	"context"

	"closedform/core/field"
	"closedform/runner/internal/config"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "calibrate",
	Asks: "Which λ, or λ and ρ, bring the probit nearest to the softmax?",
	New: func(m *config.Manifest) (study.Experiment, error) {
		e := &experiment{Calibrate: settings{Rho: []float64{0.5}}}
		return e, m.Decode(e)
	},
}

type experiment struct {
	Calibrate settings `toml:"calibrate"`
}

type settings struct {
	Classes config.Ints `toml:"classes"` // numbers of classes
	Rho     []float64   `toml:"rho"`     // correlations ρ for which λ alone is fitted
	Box     float64     `toml:"box"`     // the logits are in [−box, box]
}

// Validate keeps to where a fit takes seconds: its work grows with the square of
// the box and like 1/(1−ρ). The mean square error over a smaller box than 0.1 is
// lost in rounding.
func (s *settings) Validate() error {
	for _, n := range s.Classes {
		if err := field.Within("classes", n, 2, config.MaxClasses); err != nil {
			return err
		}
	}
	for _, rho := range s.Rho {
		if err := field.Within("rho", rho, 0, 0.9); err != nil {
			return err
		}
	}
	if len(s.Classes) == 0 || len(s.Rho) == 0 {
		return field.Errorf("classes", "allowed: at least one number of classes and one rho")
	}
	return field.Within("box", s.Box, 0.1, 4)
}

func (e *experiment) Config() any                   { return e }
func (e *experiment) Prepare(context.Context) error { return nil }

func (e *experiment) Tables(cells []table.Set) (table.Set, error) { return table.Merge(cells) }

var _ study.Experiment = (*experiment)(nil)
