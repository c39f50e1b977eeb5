// Package moments is the study of formulas for the moments of the softmax of a Gaussian. At random logits,
// or at logits of one's own, it holds them against the exact integrals or against Monte Carlo, or asks
// where the covariance Σ_y that they give is positive definite.
package moments

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"closedform/runner/internal/config"
	"closedform/runner/internal/probit"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "moments",
	Asks: "How good is each formula for the softmax of a Gaussian?",
	New: study.Decoded(func(m *config.Manifest) *experiment {
		return &experiment{seeded: study.Seeded{Manifest: m.Name, Seed: m.Seed}, Moments: settings{
			Against: "exact", Methods: []string{"probit"}, Lambda: []probit.Lambda{{Word: "slope"}},
			Rho: []float64{usualRho}, Unequal: 0.5, Draws: 100, Grid: 41,
		}}
	}),
}

type experiment struct {
	study.Plain
	Moments settings `toml:"moments"`
	seeded  study.Seeded
}

// spec is all that the tables of a cell follow from.
type spec struct {
	study.Seeded
	LogitsOf string `json:",omitempty"`
	Problem  problem
	Methods  []method // against exact all, else one
	Samples  []int    `json:",omitempty"`
	Draw     int      `json:",omitempty"` // against Monte Carlo: the number of the random logits, from 1
}

// Cells returns a cell for each problem; if not against exact, for each method; against Monte Carlo, for
// each draw.
func (e *experiment) Cells() (cells []study.Cell) {
	add := func(key string, spec any, run func(context.Context) (table.Set, error)) {
		cells = append(cells, study.Cell{Key: key, Spec: spec, Run: run})
	}
	m, methods := &e.Moments, e.Moments.methods()
	for _, s := range m.slopes() {
		add(fmt.Sprintf("lambda n=%d rho=%g", s.Classes, s.Rho), s, s.run)
	}
	for _, p := range m.problems() {
		s := spec{e.seeded, m.LogitsOf, p, methods, m.Samples, 0}
		if m.Against == "exact" {
			add(p.key(), s, s.exact)
			continue
		}
		for _, one := range methods {
			s.Methods = []method{one}
			if m.Against == "definite" {
				add(one.key()+" "+p.key(), s, s.definite)
				continue
			}
			for s.Draw = 1; s.Draw <= p.Draws; s.Draw++ {
				add(fmt.Sprintf("%s %s draw=%d", one.key(), p.key(), s.Draw), s, s.monteCarlo)
			}
		}
	}
	return cells
}

// logits returns the random numbers of the logits.
func (s spec) logits() *rand.Rand {
	switch {
	case s.LogitsOf != "":
		return rand.New(study.Stream(s.LogitsOf, s.Seed, "logits", s.Problem.Classes))
	case s.Problem.Gaps != nil:
		return rand.New(s.Stream("logits", s.Problem.Classes))
	}
	return rand.New(s.Stream(s.Problem.key(), "logits"))
}

func keyColumns() []table.Column {
	return []table.Column{
		table.Int("classes", "number of classes n"),
		table.Num("spread", "the means of random logits are N(0, spread²)"),
		table.Num("variance", "mean of the variances of random logits"),
		table.Text("method", "the formula; a probit ends with the word that chooses its λ, if there is one"),
		table.Num("lambda", "slope λ of a probit"), table.Num("rho", "correlation ρ of a probit"),
	}
}

// row returns the values of keyColumns.
func (s spec) row(m method) []any {
	p, lambda, rho := s.Problem, math.NaN(), math.NaN()
	if m.Lambda != (probit.Lambda{}) {
		lambda = m.Lambda.Value(p.Classes, m.Rho)
	}
	if m.Name == "probit" {
		rho = m.Rho
	}
	if p.Given != nil {
		p.Spread, p.Variance = math.NaN(), math.NaN()
	}
	return []any{p.Classes, p.Spread, p.Variance, m.label(), lambda, rho}
}
