package moments

import (
	"context"
	"fmt"
	"math/rand/v2"

	"closedform/baselines/moments/montecarlo"
	"closedform/core/softmax"
	"closedform/runner/internal/approx"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

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
		for _, spread := range m.Spread {
			for _, variance := range m.Variance {
				affordable := max(2, m.MonteCarloPairs/(n*n))
				s := spec{
					e.seeded,
					approx.Problems{Classes: n, Spread: spread, Variance: variance, Unequal: m.Unequal},
					m.Draws, min(m.MonteCarloDraws, m.Draws, affordable), m.Methods, m.Samples,
				}
				cells = append(cells, study.Cell{Key: s.key(), Stratum: fmt.Sprintf("n=%d", n), Spec: s, Run: s.run})
			}
		}
	}
	return cells
}

func (s spec) key() string {
	return fmt.Sprintf("n=%d spread=%s variance=%s", s.Problems.Classes, table.Format(s.Problems.Spread), table.Format(s.Problems.Variance))
}

// method is an approximation and how many of the draws it gets, and its errors.
type method struct {
	name   string
	of     softmax.Approximation
	draws  int
	errors *approx.Errors
}

// monteCarlo names Monte Carlo with so many samples.
func monteCarlo(samples int) string { return fmt.Sprintf("monte-carlo-%d", samples) }

// methods returns all that is compared, Monte Carlo with random numbers of its own.
func (s spec) methods(stream func(samples int) rand.Source) (all []method) {
	add := func(name string, of softmax.Approximation, draws int) {
		all = append(all, method{name, of, draws, approx.NewErrors(of)})
	}
	for _, m := range s.Methods {
		add(string(m), m.Of(s.Problems.Classes), s.Draws)
	}
	for _, n := range s.Samples {
		add(monteCarlo(n), montecarlo.Softmax{Samples: n, Source: stream(n)}, s.MonteCarloDraws)
	}
	return all
}

// run compares all methods with the exact moments of the same logits.
func (s spec) run(ctx context.Context) (table.Set, error) {
	rnd := rand.New(s.Stream(s.key(), "logits"))
	methods := s.methods(func(samples int) rand.Source { return s.Stream(s.key(), "montecarlo", samples) })
	want, got := approx.NewMoments(s.Problems.Classes), approx.NewMoments(s.Problems.Classes)
	for k := range s.Draws {
		z := s.Problems.Draw(rnd)
		want.Compute(softmax.Exact{}, z)
		for _, m := range methods {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if k < m.draws {
				got.Compute(m.of, z)
				m.errors.Add(got, want)
			}
		}
	}
	t := table.New("errors", append([]table.Column{
		table.Int("classes", "number of classes n"), table.Num("spread", "the means of the logits are N(0, spread²)"),
		table.Num("variance", "mean of the variances of the logits"), table.Text("method", "the approximation; the probit has ρ = ½ and the λ of its name"),
		table.Int("draws", "random logits"),
	}, approx.Columns()...)...)
	for _, m := range methods {
		t.Add(s.Problems.Classes, s.Problems.Spread, s.Problems.Variance, m.name, m.draws, m.errors.Row())
	}
	return table.Set{t}, nil
}
