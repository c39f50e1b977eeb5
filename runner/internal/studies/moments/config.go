// Package moments is the study of the approximations of the moments of the softmax of a Gaussian: the
// error of each against the exact integrals, at random logits, and what it costs.
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
	New: study.Decoded(func(m *config.Manifest) *experiment {
		return &experiment{
			seeded:  study.Seeded{Manifest: m.Name, Seed: m.Seed},
			Moments: settings{Unequal: 0.5, MonteCarloDraws: 10, MonteCarloPairs: 100_000},
		}
	}),
}

type experiment struct {
	study.Plain
	Moments settings `toml:"moments"`
	seeded  study.Seeded
}

// settings have numbers whose squares are finite.
type settings struct {
	Classes  config.Ints     `toml:"classes" allowed:"each 2 to 1,000"`                    // numbers of classes n
	Spread   []float64       `toml:"spread" allowed:"each 0 to 1e30"`                      // standard deviations of the means of the logits
	Variance []float64       `toml:"variance" allowed:"each 0 to 1e30"`                    // mean variances of a logit
	Unequal  float64         `toml:"unequal"`                                              // each variance is uniform on variance·[1 − unequal, 1 + unequal]
	Draws    int             `toml:"draws" allowed:"1 to 1,000,000"`                       // random logits of each n, spread and variance
	Methods  []approx.Method `toml:"methods" allowed:"approximations, such as probit-lsq"` // what is compared

	Samples         config.Ints `toml:"samples"`                                   // numbers of samples of Monte Carlo
	MonteCarloDraws int         `toml:"montecarlo_draws" allowed:"1 to 1,000,000"` // of the draws, the first so many for Monte Carlo,
	MonteCarloPairs int         `toml:"montecarlo_pairs" allowed:"1 to 1e9"`       // and no more than so many / n², but two: its time grows with n²
}

// Validate reports what is not allowed.
func (s *settings) Validate() error {
	return cmp.Or(
		field.AllOneOf("methods", s.Methods, approx.Methods()...),
		field.Fraction("unequal", s.Unequal), field.AllWithin("samples", s.Samples, 2, 1e9),
	)
}

var _ study.Timed = (*experiment)(nil)
