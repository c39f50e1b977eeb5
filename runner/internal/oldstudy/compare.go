package study

import (
	"context"
	"fmt"
	"slices"

	"closedform/runner/internal/manifest"
	store "closedform/runner/internal/oldstore"
)

// compare is the study of real data: methods learn the same splits of the same
// sets. A cell is one method, set and seed.
type compare struct {
	*manifest.Compare
	m *manifest.Manifest
}

// compareSpec is all that the rows of a cell follow from.
type compareSpec struct {
	Manifest   string
	Seed       int
	Set        manifest.Set
	Method     manifest.Method
	Validation float64
	Classes    int // most classes of a set, for the columns of the predictions
}

func (c *compare) Cells() []Cell {
	var cells []Cell
	for _, method := range c.Methods {
		for _, set := range c.Sets {
			seeds := c.m.Seeds[:set.Splits]
			set.Splits = 0 // A split has nothing to do with how many there are.
			for _, seed := range seeds {
				spec := compareSpec{c.m.Name, seed, set, method, c.Validation, c.classes()}
				cells = append(cells, Cell{
					Key:  fmt.Sprintf("%s %s seed=%d", method.Name, set.Name, seed),
					Spec: spec,
					Run:  func(ctx context.Context) ([]store.Table, error) { return spec.run(ctx) },
				})
			}
		}
	}
	return cells
}

// classes returns the most classes of a set.
func (c *compare) classes() int {
	most := 0
	for _, set := range c.Sets {
		most = max(most, set.Source.Classes())
	}
	return most
}

func (c *compare) Report(cells [][]store.Table) (Report, error) {
	tables, err := merge(cells)
	if err != nil {
		return Report{}, err
	}
	scores := find(tables, "scores")
	tables = append(tables, averages("means", scores, []string{"set", "method"}, compareColumns...), c.paired(scores))
	tables = append(tables, c.ranks(find(tables, "means")))
	return Report{Tables: tables, Figures: c.figures(tables), Notes: brokenDown(find(tables, "scores"), "method")}, nil
}

// compareColumns are the numbers of scores.csv that are averaged.
var compareColumns = slices.Concat(scoreColumns, stepColumns)
