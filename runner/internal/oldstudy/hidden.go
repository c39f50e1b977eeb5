package study

import (
	"context"
	"fmt"
	"slices"

	"closedform/runner/internal/manifest"
	store "closedform/runner/internal/oldstore"
)

// hidden is the study of hidden layers: networks with and without them learn
// tasks that no linear model can. A cell is one variant, task and seed.
type hidden struct {
	*manifest.Hidden
	m *manifest.Manifest
}

// hiddenSpec is all that the rows of a cell follow from.
type hiddenSpec struct {
	Manifest  string
	Seed      int
	Task      manifest.Task
	Model     manifest.Model
	Test      int
	Snapshots []int
	Passes    []int
	Grid      int  // of the map; 0: none is drawn
	Classes   int  // most classes of a task, for the columns of the maps
	Train     bool // whether the cell writes down the training examples, which all variants share
}

func (h *hidden) Cells() []Cell {
	classes := 0
	for _, task := range h.Tasks {
		classes = max(classes, task.Data.Task().Classes())
	}
	var cells []Cell
	for i, variant := range h.Variants {
		for _, task := range h.Tasks {
			for _, seed := range h.m.Seeds {
				spec := hiddenSpec{
					Manifest: h.m.Name, Seed: seed, Task: task, Model: variant.For(task.Data.Task().Inputs(), task.Data.Task().Classes()),
					Test: h.Test, Snapshots: h.Snapshots, Passes: h.Passes, Train: i == 0 && seed == h.m.Seed,
				}
				if seed == h.m.Seed && slices.Contains(h.Maps, variant.Name) {
					spec.Grid, spec.Classes = h.Grid, classes
				}
				cells = append(cells, Cell{
					Key:  fmt.Sprintf("%s %s seed=%d", variant.Name, task.Name, seed),
					Spec: spec,
					Run:  func(ctx context.Context) ([]store.Table, error) { return spec.run(ctx) },
				})
			}
		}
	}
	return cells
}

func (h *hidden) Report(cells [][]store.Table) (Report, error) {
	tables, err := merge(cells)
	if err != nil {
		return Report{}, err
	}
	tables = append(tables, h.summary(find(tables, "curve")))
	return Report{Tables: tables, Figures: h.figures(tables)}, nil
}
