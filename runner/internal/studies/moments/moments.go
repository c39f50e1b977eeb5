// Package moments is the study of the approximations of the moments of the softmax of a Gaussian: the
// error of each against the exact integrals, at random logits, and what it costs.
package moments

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"closedform/baselines/moments/montecarlo"
	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/internal/field"
	"closedform/runner/internal/approx"
	"closedform/runner/internal/config"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
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

// Measure implements [study.Timed]: the time of p, Σ_y and Σ_zy by each method, at
// the middle spread and variance of the manifest.
func (e *experiment) Measure(ctx context.Context, _ table.Set) (table.Set, error) {
	t := table.New("timing_cost",
		table.Int("classes", "number of classes n"), table.Text("method", "the approximation"), table.Num("ns", "time of p, Σ_y and Σ_zy, in nanoseconds"))
	for _, n := range e.Moments.Classes {
		s := spec{Methods: e.Moments.Methods, Samples: e.Moments.Samples}
		s.Problems = approx.Problems{Classes: n, Spread: middle(e.Moments.Spread), Variance: middle(e.Moments.Variance), Unequal: e.Moments.Unequal}
		z, m := s.Problems.Draw(rand.New(e.seeded.Stream("cost", n))), approx.NewMoments(n)
		for _, method := range s.methods(func(int) rand.Source { return random.Source("cost") }) {
			ns, err := cost(ctx, func() { m.Compute(method.of, z) })
			if err != nil {
				return nil, err
			}
			t.Add(n, method.name, ns)
		}
	}
	return table.Set{t}, nil
}

// middle returns the middle of x in ascending order, the upper of two.
func middle(x []float64) float64 { return slices.Sorted(slices.Values(x))[len(x)/2] }

// cost returns the median time of f in nanoseconds over several batches.
func cost(ctx context.Context, f func()) (float64, error) {
	const (
		batches = 5
		enough  = 4 * time.Millisecond // of a batch, for the clock
	)
	run := func(count int) time.Duration {
		begin := time.Now()
		for range count {
			f()
		}
		return time.Since(begin)
	}
	run(1) // fills tables and caches
	count := 1
	for run(count) < enough {
		count *= 2
	}
	var ns []float64
	for range batches {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		ns = append(ns, float64(run(count).Nanoseconds())/float64(count))
	}
	slices.Sort(ns)
	return ns[batches/2], nil
}
