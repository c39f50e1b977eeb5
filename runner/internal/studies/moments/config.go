// Package moments is the study of the approximations of the moments of the softmax
// of a Gaussian: the error of each against the exact integrals, at random logits,
// and what it costs.
package moments

import (
	"cmp"

	"closedform/internal/field"
	"closedform/runner/internal/approx"
	"closedform/runner/internal/config"
	"closedform/runner/internal/study"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "moments",
	Asks: "How good is each approximation of the softmax of a Gaussian, and what does it cost?",
	New: func(m *config.Manifest) (study.Experiment, error) {
		e := &experiment{
			seeded:  study.Seeded{Manifest: m.Name, Seed: m.Seed},
			Moments: settings{Unequal: 0.5, MonteCarloDraws: 10, MonteCarloPairs: 100_000},
		}
		return e, m.Decode(e)
	},
}

type experiment struct {
	study.Plain
	Moments settings `toml:"moments"`
	seeded  study.Seeded
}

type settings struct {
	Classes  config.Ints     `toml:"classes"`  // numbers of classes n
	Spread   []float64       `toml:"spread"`   // standard deviations of the means of the logits
	Variance []float64       `toml:"variance"` // mean variances of a logit
	Unequal  float64         `toml:"unequal"`  // each variance is uniform on variance·[1 − unequal, 1 + unequal]
	Draws    int             `toml:"draws"`    // random logits of each n, spread and variance
	Methods  []approx.Method `toml:"methods"`  // what is compared

	Samples         config.Ints `toml:"samples"`          // numbers of samples of Monte Carlo
	MonteCarloDraws int         `toml:"montecarlo_draws"` // of the draws, the first so many for Monte Carlo,
	MonteCarloPairs int         `toml:"montecarlo_pairs"` // and no more than so many / n², but two: its time grows with n²
}

// Validate reports what is not allowed.
func (s *settings) Validate() error {
	const largest = 1e30 // keeps squares finite
	if len(s.Classes) == 0 || len(s.Spread) == 0 || len(s.Variance) == 0 || len(s.Methods) == 0 {
		return field.Errorf("classes", "allowed: at least one of classes, spread, variance and methods")
	}
	if !(0 <= s.Unequal && s.Unequal < 1) {
		return field.Errorf("unequal", "%g is not allowed; allowed: a number ≥ 0 and < 1", s.Unequal)
	}
	return cmp.Or(
		field.AllOneOf("methods", s.Methods, approx.Methods()...),
		field.AllWithin("classes", s.Classes, 2, config.MaxClasses),
		field.AllWithin("spread", s.Spread, 0, largest),
		field.AllWithin("variance", s.Variance, 0, largest),
		field.AllWithin("samples", s.Samples, 2, config.MaxSamples),
		field.Within("draws", s.Draws, 1, config.MaxDraws),
		field.Within("montecarlo_draws", s.MonteCarloDraws, 1, config.MaxDraws),
		field.Within("montecarlo_pairs", s.MonteCarloPairs, 1, config.MaxSamples),
	)
}

var _ study.Timed = (*experiment)(nil)
