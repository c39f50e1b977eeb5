// Package mccheck is the study of the paper's Proposition 3.1: every formula against
// Monte Carlo at random inputs, with a z-score for each number that it gives, and the
// distribution of the z-scores. How far the paper's covariances are from those of the
// softmax, which they approximate, is a question of the study moments.
package mccheck

import (
	"closedform/internal/field"
	"closedform/runner/internal/config"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "mc_check",
	Asks: "Do the formulas of the paper's Proposition 3.1 agree with Monte Carlo?",
	New: func(m *config.Manifest) (study.Experiment, error) {
		e := &experiment{seeded: study.Seeded{Manifest: m.Name, Seed: m.Seed}}
		e.Check.Lambda = []float64{0.2, 1.5}
		return e, m.Decode(e)
	},
}

type experiment struct {
	study.Plain
	Check  settings `toml:"mc_check"`
	seeded study.Seeded
}

// settings have numbers whose products are finite.
type settings struct {
	Classes  config.Ints `toml:"classes" allowed:"each 2 to 1,000"`   // numbers of classes n
	Rho      []float64   `toml:"rho" allowed:"numbers ≥ 0 and < 1"`   // correlations ρ of the probit
	Samples  int         `toml:"samples" allowed:"2 to 1e9"`          // Monte Carlo samples of an input
	Cases    int         `toml:"cases" allowed:"1 to 1,000,000"`      // random inputs of each formula, n and ρ
	Spread   float64     `toml:"spread" allowed:"0 to 1e30"`          // standard deviation of the random means
	Variance float64     `toml:"variance" allowed:"1e-30 to 1e30"`    // scale of the random variances, log-uniform within a factor of ten of it
	Lambda   []float64   `toml:"lambda" allowed:"each 1e-30 to 1e30"` // ends of the random slopes λ of the probit, log-uniform
}

// Validate reports what is not allowed.
func (s *settings) Validate() error {
	for _, rho := range s.Rho {
		if err := field.Fraction("rho", rho); err != nil {
			return err
		}
	}
	if len(s.Lambda) != 2 || !(s.Lambda[0] < s.Lambda[1]) {
		return field.Errorf("lambda", "%v is not allowed; allowed: [low, high] with low < high", s.Lambda)
	}
	return nil
}

func (e *experiment) Tables(cells []table.Set) (table.Set, error) {
	return table.Merge(cells, func(t table.Set) table.Set { return table.Set{summary(t.Get("zscores"))} })
}
