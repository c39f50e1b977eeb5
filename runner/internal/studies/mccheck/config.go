// Package mccheck is the study of the paper's Proposition 3.1: every formula against
// Monte Carlo at random inputs, with a z-score for each number that it gives, and the
// distribution of the z-scores. How far the paper's covariances are from those of the
// softmax, which they approximate, is a question of the study moments.
package mccheck

import (
	"cmp"

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

type settings struct {
	Classes  config.Ints `toml:"classes"`  // numbers of classes n
	Rho      []float64   `toml:"rho"`      // correlations ρ of the probit
	Samples  int         `toml:"samples"`  // Monte Carlo samples of an input
	Cases    int         `toml:"cases"`    // random inputs of each formula, n and ρ
	Spread   float64     `toml:"spread"`   // standard deviation of the random means
	Variance float64     `toml:"variance"` // scale of the random variances, log-uniform within a factor of ten of it
	Lambda   []float64   `toml:"lambda"`   // ends of the random slopes λ of the probit, log-uniform
}

// Validate reports what is not allowed.
func (s *settings) Validate() error {
	const smallest, largest = 1e-30, 1e30 // keep products finite
	for _, rho := range s.Rho {
		if !(0 <= rho && rho < 1) {
			return field.Errorf("rho", "%g is not allowed; allowed: a number ≥ 0 and < 1", rho)
		}
	}
	switch {
	case len(s.Classes) == 0 || len(s.Rho) == 0:
		return field.Errorf("classes", "allowed: at least one number of classes and one rho")
	case len(s.Lambda) != 2 || !(s.Lambda[0] < s.Lambda[1]):
		return field.Errorf("lambda", "%v is not allowed; allowed: [low, high] with low < high", s.Lambda)
	}
	return cmp.Or(
		field.AllWithin("classes", s.Classes, 2, config.MaxClasses),
		field.Within("samples", s.Samples, 2, config.MaxSamples),
		field.Within("cases", s.Cases, 1, config.MaxDraws),
		field.Within("spread", s.Spread, 0, largest),
		field.Within("variance", s.Variance, smallest, largest),
		field.AllWithin("lambda", s.Lambda, smallest, largest),
	)
}

func (e *experiment) Tables(cells []table.Set) (table.Set, error) {
	return table.Merge(cells, func(t table.Set) table.Set { return table.Set{summary(t.Get("zscores"))} })
}
