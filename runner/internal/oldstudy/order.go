package study

import (
	"context"
	"fmt"

	"closedform/runner/internal/manifest"
	store "closedform/runner/internal/oldstore"
)

// order is the study of how much the order of the examples matters: the exact
// posterior does not depend on it. A cell is one model and one seed: a training
// set of every size, seen in many orders; and, as a yardstick, other training
// sets of the same size.
type order struct {
	*manifest.Order
	m *manifest.Manifest
}

// orderSpec is all that the rows of a cell follow from.
type orderSpec struct {
	Manifest              string
	Seed                  int
	Data                  manifest.Data
	Model                 manifest.Model
	Sizes                 []int
	Permutations, Samples int
	Test                  int
	Mapped, Grid          int // the size that is mapped, and the points of the map along each axis; 0: none is
}

func (o *order) Cells() []Cell {
	var cells []Cell
	for _, model := range o.Models() {
		for _, seed := range o.m.Seeds {
			spec := orderSpec{
				Manifest: o.m.Name, Seed: seed, Data: o.Data, Model: model, Sizes: o.Sizes,
				Permutations: o.Permutations, Samples: o.Samples, Test: o.Test,
			}
			if seed == o.m.Seed {
				spec.Mapped, spec.Grid = o.Mapped, o.Grid
			}
			cells = append(cells, Cell{
				Key:  fmt.Sprintf("%s seed=%d", model.Name, seed),
				Spec: spec,
				Run:  func(ctx context.Context) ([]store.Table, error) { return spec.run(ctx) },
			})
		}
	}
	return cells
}

func (o *order) Report(cells [][]store.Table) (Report, error) {
	tables, err := merge(cells)
	if err != nil {
		return Report{}, err
	}
	tables = append(tables, o.summary(find(tables, "spread")))
	return Report{Tables: tables, Figures: o.figures(tables)}, nil
}
