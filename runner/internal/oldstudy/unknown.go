package study

import (
	"context"
	"fmt"

	"closedform/core/bnn"
	"closedform/runner/internal/manifest"
	store "closedform/runner/internal/oldstore"
)

// unknown is the study of the decision "unknown": what share of the test examples
// a classifier answers and how many of its answers are wrong, and whether it knows
// examples of other data, and of classes that it has never seen, from those that
// it has learned. A cell is one method and seed, that has learned all classes or
// all but the unseen ones.
type unknown struct {
	*manifest.Unknown
	m *manifest.Manifest
}

// unknownSpec is all that the rows of a cell follow from.
type unknownSpec struct {
	Manifest string
	Seed     int
	Unknown  manifest.Unknown
	Method   manifest.Method
	Without  bool // some classes are kept from the training
	Curves   bool // whether the risk–coverage curve is written down
}

// confidences are the kinds of confidence a decision may go by.
var confidences = []bnn.Confidence{bnn.Probability, bnn.EntropyBased, bnn.Epistemic}

func (u *unknown) Cells() []Cell {
	var cells []Cell
	for _, method := range u.Methods {
		for _, without := range []bool{false, true} {
			if without && len(u.Unseen) == 0 {
				continue
			}
			for _, seed := range u.m.Seeds {
				all := *u.Unknown
				all.Methods = nil // a method has nothing to do with the others
				spec := unknownSpec{u.m.Name, seed, all, method, without, seed == u.m.Seed}
				key := fmt.Sprintf("%s seed=%d", method.Name, seed)
				if without {
					key += " without"
				}
				cells = append(cells, Cell{Key: key, Spec: spec, Run: func(ctx context.Context) ([]store.Table, error) { return spec.run(ctx) }})
			}
		}
	}
	return cells
}

func (u *unknown) Report(cells [][]store.Table) (Report, error) {
	tables, err := merge(cells)
	if err != nil {
		return Report{}, err
	}
	tables = append(tables,
		averages("decision_means", find(tables, "decisions"), []string{"method", "confidence", "wanted"}),
		averages("selection_means", find(tables, "selection"), []string{"method", "confidence"}),
		averages("outside_means", find(tables, "outside"), []string{"method", "confidence", "data"}),
	)
	return Report{Tables: tables, Figures: u.figures(tables)}, nil
}
