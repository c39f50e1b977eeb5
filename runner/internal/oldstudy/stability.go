package study

import (
	"context"
	"fmt"

	"closedform/runner/internal/manifest"
	store "closedform/runner/internal/oldstore"
)

// stability is the study of where the probit's covariance Σ_y of the
// probabilities is positive definite, which the paper's update takes for
// granted: over the gap between the largest logit and the next, and the variance
// that all logits have. A cell is one number of classes and one λ.
type stability struct{ m *manifest.Manifest }

// stabilitySpec is all that the rows of a cell follow from.
type stabilitySpec struct {
	Manifest      string
	Seed          int
	Classes       int
	Lambda        manifest.Lambda
	Rho           float64
	Gap, Variance manifest.Interval
	Grid, Draws   int
}

func (s *stability) Cells() []Cell {
	var cells []Cell
	p := s.m.Stability
	for _, n := range p.Classes {
		for _, lambda := range p.Lambda {
			spec := stabilitySpec{
				Manifest: s.m.Name, Seed: s.m.Seed, Classes: n, Lambda: lambda, Rho: p.Rho,
				Gap: p.Gap, Variance: p.Variance, Grid: p.Grid, Draws: p.Draws,
			}
			cells = append(cells, Cell{
				Key:  fmt.Sprintf("n=%d lambda=%s", n, lambda),
				Spec: spec,
				Run:  func(ctx context.Context) ([]store.Table, error) { return runStability(ctx, spec) },
			})
		}
	}
	return cells
}

func (s *stability) Report(cells [][]store.Table) (Report, error) {
	tables, err := merge(cells)
	if err != nil {
		return Report{}, err
	}
	return Report{Tables: tables, Figures: s.figures(tables)}, nil
}
