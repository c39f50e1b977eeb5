// Package moments is the study of the approximations of the moments of the softmax of a Gaussian: the
// error of each against the exact integrals, at random logits, and the λ with which the probit comes
// closest to the softmax of certain logits.
package moments

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"

	"closedform/baselines/moments/montecarlo"
	"closedform/internal/field"
	"closedform/runner/internal/approx"
	"closedform/runner/internal/config"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "moments",
	Asks: "How good is each approximation of the softmax of a Gaussian?",
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
	Unequal  float64         `toml:"unequal" allowed:"0 to 0.999"`                         // each variance is uniform on variance·[1 − unequal, 1 + unequal]
	Draws    int             `toml:"draws" allowed:"1 to 1,000,000"`                       // random logits of each n, spread and variance
	Methods  []approx.Method `toml:"methods" allowed:"approximations, such as probit-lsq"` // what is compared

	Samples         config.Ints `toml:"samples"`                                   // numbers of samples of Monte Carlo
	MonteCarloDraws int         `toml:"montecarlo_draws" allowed:"1 to 1,000,000"` // of the draws, the first so many for Monte Carlo,
	MonteCarloPairs int         `toml:"montecarlo_pairs" allowed:"1 to 1e9"`       // and no more than so many / n², but two: its time grows with n²
}

func (s *settings) Validate() error {
	return cmp.Or(field.AllOneOf("methods", s.Methods, approx.Methods()...), field.AllWithin("samples", s.Samples, 2, 1e9))
}

// spec is all that the rows of a cell, one number of classes, spread of the means
// and variance, follow from.
type spec struct {
	study.Seeded
	Problems               approx.Problems
	Draws, MonteCarloDraws int
	Methods                []approx.Method
	Samples                []int
}

func (e *experiment) Cells() (cells []study.Cell) {
	m := e.Moments
	for _, n := range m.Classes {
		s := slopes{n}
		cells = append(cells, study.Cell{Key: fmt.Sprintf("lambda n=%d", n), Spec: s, Run: s.run})
	}
	for _, n := range m.Classes {
		for _, spread := range m.Spread {
			for _, variance := range m.Variance {
				affordable := max(2, m.MonteCarloPairs/(n*n))
				s := spec{
					e.seeded,
					approx.Problems{Classes: n, Spread: spread, Variance: variance, Unequal: m.Unequal},
					m.Draws, min(m.MonteCarloDraws, m.Draws, affordable), m.Methods, m.Samples,
				}
				cells = append(cells, study.Cell{Key: s.key(), Spec: s, Run: s.run})
			}
		}
	}
	return cells
}

func (s spec) key() string {
	return fmt.Sprintf("n=%d spread=%s variance=%s", s.Problems.Classes, table.Format(s.Problems.Spread), table.Format(s.Problems.Variance))
}

// monteCarlo names Monte Carlo with so many samples.
func monteCarlo(samples int) string { return fmt.Sprintf("monte-carlo-%d", samples) }

// run compares all methods with the exact moments of the same logits. Monte Carlo has random numbers of
// its own.
func (s spec) run(ctx context.Context) (table.Set, error) {
	var names []string
	var errors []*approx.Errors
	for _, m := range s.Methods {
		names, errors = append(names, string(m)), append(errors, approx.NewErrors(m.Of(s.Problems.Classes), s.Draws))
	}
	for _, n := range s.Samples {
		sampling := montecarlo.Softmax{Samples: n, Source: s.Stream(s.key(), "montecarlo", n)}
		names, errors = append(names, monteCarlo(n)), append(errors, approx.NewErrors(sampling, s.MonteCarloDraws))
	}
	if err := s.Problems.Compare(ctx, rand.New(s.Stream(s.key(), "logits")), errors); err != nil {
		return nil, err
	}
	t := table.New("errors", append([]table.Column{
		table.Int("classes", "number of classes n"), table.Num("spread", "the means of the logits are N(0, spread²)"),
		table.Num("variance", "mean of the variances of the logits"), table.Text("method", "the approximation; the probit has ρ = ½ and the λ of its name"),
		table.Int("draws", "random logits"),
	}, approx.Columns()...)...)
	for i, e := range errors {
		t.Add(s.Problems.Classes, s.Problems.Spread, s.Problems.Variance, names[i], e.Draws, e.Row())
	}
	return table.Set{t}, nil
}
