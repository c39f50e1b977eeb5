package study

import (
	"context"
	"fmt"

	"closedform/runner/internal/dataset"
	"closedform/runner/internal/manifest"
	store "closedform/runner/internal/oldstore"
)

// learn is the study of the paper's Section 5: networks see training examples
// one by one; after some of them their predictions are mapped over the square
// and checked against Monte Carlo. A cell is one model and one seed.
type learn struct {
	*manifest.Learn
	m         *manifest.Manifest
	generator dataset.Generator
}

func newLearn(m *manifest.Manifest) (*learn, error) {
	g, err := dataset.Lookup(m.Learn.Data.Generator)
	return &learn{m.Learn, m, g}, err
}

// learnSpec is all that the rows of a cell follow from.
type learnSpec struct {
	Manifest   string
	Data       manifest.Data
	Model      manifest.Model
	Evaluate   manifest.Evaluate
	MonteCarlo manifest.MonteCarlo
	Seed       int
	Drawn      bool // the seed whose maps go into grid.csv
	First      bool // the model whose cells write down the training data, which all models share
}

func (l *learn) Cells() []Cell {
	var cells []Cell
	for i, model := range l.Models() {
		for _, seed := range l.m.Seeds {
			spec := learnSpec{
				Manifest: l.m.Name, Data: l.Data, Model: model, Evaluate: l.Evaluate, MonteCarlo: l.MonteCarlo,
				Seed: seed, Drawn: seed == l.m.Seed, First: i == 0,
			}
			cells = append(cells, Cell{
				Key:  fmt.Sprintf("%s seed=%d", model.Name, seed),
				Spec: spec,
				Run: func(ctx context.Context) ([]store.Table, error) {
					return runLearn(ctx, spec, l.generator)
				},
			})
		}
	}
	return cells
}

func (l *learn) Report(cells [][]store.Table) (Report, error) {
	tables, err := merge(cells)
	if err != nil {
		return Report{}, err
	}
	summary := find(tables, "summary")
	tables = append(tables, l.variants(summary), l.claims(summary))
	return Report{Tables: tables, Figures: l.figures(tables)}, nil
}
