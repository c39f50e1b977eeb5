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
	New: study.Decoded(func(m *config.Manifest) *experiment {
		return &experiment{seeded: study.Seeded{Manifest: m.Name, Seed: m.Seed}}
	}),
}

type experiment struct {
	study.Plain
	Check  settings `toml:"mc_check"`
	seeded study.Seeded
}

type settings struct {
	Samples int       `toml:"samples" allowed:"2 to 1e9"`        // Monte Carlo samples of an input
	Rho     []float64 `toml:"rho" allowed:"numbers ≥ 0 and < 1"` // correlations ρ of the probit
	random  *drawn
	fixed   *given // nil: random inputs
}

// Extend implements [config.Extended]: inputs are given if there are means, or else random.
func (s *settings) Extend(table map[string]any) (any, error) {
	if _, ok := table["mean"]; ok {
		s.fixed = new(given)
		return s.fixed, nil
	}
	s.random = &drawn{Lambda: []float64{0.2, 1.5}}
	return s.random, nil
}

// Extension returns what Extend has.
func (s *settings) Extension() any {
	if s.fixed != nil {
		return s.fixed
	}
	return s.random
}

func (s *settings) Validate() error {
	var err error
	for _, rho := range s.Rho {
		err = cmp.Or(err, field.Fraction("rho", rho))
	}
	return err
}

// drawn says what random inputs are like, by numbers whose products are finite.
type drawn struct {
	Classes  config.Ints `toml:"classes" allowed:"each 2 to 1,000"`   // numbers of classes n
	Cases    int         `toml:"cases" allowed:"1 to 1,000,000"`      // random inputs of each formula, n and ρ
	Spread   float64     `toml:"spread" allowed:"0 to 1e30"`          // standard deviation of the random means
	Variance float64     `toml:"variance" allowed:"1e-30 to 1e30"`    // scale of the random variances, log-uniform within a factor of ten of it
	Lambda   []float64   `toml:"lambda" allowed:"each 1e-30 to 1e30"` // ends of the random slopes λ of the probit, log-uniform
}

func (d *drawn) Validate() error {
	if len(d.Lambda) != 2 || !(d.Lambda[0] < d.Lambda[1]) {
		return field.Errorf("lambda", "%v is not allowed; allowed: [low, high] with low < high", d.Lambda)
	}
	return nil
}

// given is one input for the formulas of n classes.
type given struct {
	Mean     []float64 `toml:"mean" allowed:"each -1e30 to 1e30"`     // of n logits, n ≥ 2
	Variance []float64 `toml:"variance" allowed:"each 1e-30 to 1e30"` // of the logits
	Lambda   float64   `toml:"lambda" allowed:"1e-30 to 1e30"`        // slope λ of the probit
}

func (g *given) Validate() error {
	if n := len(g.Mean); n < 2 || n > 1000 || len(g.Variance) != n {
		return field.Errorf("mean", "%d means and %d variances are not allowed; allowed: as many of both, 2 to 1,000", n, len(g.Variance))
	}
	return nil
}

func (e *experiment) Tables(cells []table.Set) (table.Set, error) {
	return table.Merge(cells, func(t table.Set) table.Set { return table.Set{summary(t.Get("zscores"))} })
}
