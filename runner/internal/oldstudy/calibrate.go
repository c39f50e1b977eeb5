package study

import (
	"context"
	"fmt"
	"slices"

	"closedform/runner/internal/manifest"
	store "closedform/runner/internal/oldstore"
)

// calibrate is the study of the λ, and the λ and ρ, with which the probit
// function is closest to the softmax over a box of logits. Nothing in it is
// random. A cell is one number of classes.
type calibrate struct{ m *manifest.Manifest }

// calibrateSpec is all that the rows of a cell follow from.
type calibrateSpec struct {
	Classes int
	Rho     []float64
	Box     float64
}

// Cells returns the cells in ascending order of the classes.
func (c *calibrate) Cells() []Cell {
	var cells []Cell
	for _, n := range slices.Sorted(slices.Values(c.m.Calibrate.Classes)) {
		spec := calibrateSpec{Classes: n, Rho: c.m.Calibrate.Rho, Box: c.m.Calibrate.Box}
		cells = append(cells, Cell{
			Key:  fmt.Sprintf("n=%d", n),
			Spec: spec,
			Run:  func(ctx context.Context) ([]store.Table, error) { return runCalibrate(ctx, spec) },
		})
	}
	return cells
}

func (c *calibrate) Report(cells [][]store.Table) (Report, error) {
	tables, err := merge(cells)
	if err != nil {
		return Report{}, err
	}
	return Report{Tables: tables, Figures: c.figures(find(tables, "lambda"))}, nil
}
