package study

import (
	"context"
	"fmt"
	"slices"

	"closedform/runner/internal/dataset"
	"closedform/runner/internal/manifest"
	store "closedform/runner/internal/oldstore"
)

// ablation is the study of λ and ρ: the error of the probit's moments, and how
// networks learn with them, over a grid of both. A cell is one ρ, either of the
// moments of one number of classes or of the networks of one variant.
type ablation struct {
	*manifest.Ablation
	m           *manifest.Manifest
	generator   dataset.Generator
	lambda, rho []float64 // ascending
}

func newAblation(m *manifest.Manifest) (*ablation, error) {
	a := &ablation{Ablation: m.Ablation, m: m}
	for _, l := range m.Ablation.Lambda {
		a.lambda = append(a.lambda, l.Number)
	}
	a.rho = slices.Clone(m.Ablation.Rho)
	slices.Sort(a.lambda)
	slices.Sort(a.rho)
	var err error
	a.generator, err = dataset.Lookup(m.Ablation.Data.Generator)
	return a, err
}

func (a *ablation) Cells() []Cell {
	var cells []Cell
	for _, n := range a.Classes {
		for _, rho := range a.rho {
			spec := probitSpec{
				Manifest: a.m.Name, Seed: a.m.Seed, Classes: n, Rho: rho, Lambda: a.lambda,
				Spread: a.Spread, Variance: a.Variance, Unequal: a.Unequal, Draws: a.Draws,
			}
			cells = append(cells, Cell{
				Key:  fmt.Sprintf("moments n=%d rho=%s", n, store.Float(rho)),
				Spec: spec,
				Run:  func(ctx context.Context) ([]store.Table, error) { return spec.run(ctx) },
			})
		}
	}
	for _, variant := range a.Variants {
		for _, rho := range a.rho {
			model := variant
			model.Rho = rho
			spec := sweepSpec{
				Manifest: a.m.Name, Seeds: a.m.Seeds, Data: a.Data, Model: model, Grid: a.Grid, Lambda: a.lambda,
			}
			cells = append(cells, Cell{
				Key:  fmt.Sprintf("learn %s rho=%s", variant.Name, store.Float(rho)),
				Spec: spec,
				Run:  func(ctx context.Context) ([]store.Table, error) { return spec.run(ctx, a.generator) },
			})
		}
	}
	return cells
}

func (a *ablation) Report(cells [][]store.Table) (Report, error) {
	tables, err := merge(cells)
	if err != nil {
		return Report{}, err
	}
	return Report{Tables: tables, Figures: a.figures(tables)}, nil
}
