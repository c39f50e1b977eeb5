package study

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"

	"closedform/runner/internal/manifest"
	store "closedform/runner/internal/oldstore"
)

// drift is the study of streams whose law turns: every example is predicted, and
// then learned, by methods that forget and by methods that do not. A cell is one
// drift, method and seed.
type drift struct {
	*manifest.Drift
	m *manifest.Manifest
}

// driftSpec is all that the rows of a cell follow from.
type driftSpec struct {
	Manifest               string
	Seed                   int
	Course                 manifest.Course
	Method                 manifest.Method
	Examples, Block, Every int
}

func (d *drift) Cells() []Cell {
	var cells []Cell
	for _, course := range d.Drifts {
		for _, method := range d.Methods {
			for _, seed := range d.m.Seeds {
				spec := driftSpec{d.m.Name, seed, course, method, d.Examples, d.Block, d.Every}
				cells = append(cells, Cell{
					Key:  fmt.Sprintf("%s %s seed=%d", course.Name, method.Name, seed),
					Spec: spec,
					Run:  func(ctx context.Context) ([]store.Table, error) { return spec.run(ctx) },
				})
			}
		}
	}
	return cells
}

// driftColumns are the scores of the tables: those of a method, and how far they
// are above those of the true class probabilities on the same examples.
var driftColumns = []string{"error", "log_loss", "excess_error", "excess_log_loss"}

func (d *drift) Report(cells [][]store.Table) (Report, error) {
	tables, err := merge(cells)
	if err != nil {
		return Report{}, err
	}
	tables = append(tables,
		averages("block_means", find(tables, "blocks"), []string{"drift", "method", "seen"}, driftColumns...),
		averages("means", find(tables, "summary"), []string{"drift", "method"}, slices.Concat(driftColumns, stepColumns)...),
		d.laws(find(tables, "summary")),
	)
	return Report{Tables: tables, Figures: d.figures(tables)}, nil
}

// laws says what the best classifier there can be, that of the true class
// probabilities, scores on all examples of the streams, and its error rate, which
// a turn of the law does not change.
func (d *drift) laws(summary frame) store.Table {
	t := store.Table{Name: "laws", Header: []string{"drift", "bayes_error", "error", "log_loss"}}
	for _, course := range d.Drifts {
		of := summary.where("drift", course.Name).where("method", d.Methods[0].Name)
		row := []string{course.Name, store.Float(course.Task().BayesError())}
		for _, column := range []string{"error", "log_loss"} {
			row = append(row, store.Float(stat.Mean(of.floats(column), nil)-stat.Mean(of.floats("excess_"+column), nil)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
