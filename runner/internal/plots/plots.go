// Package plots turns columns of tables into the curves and maps of figures, the same in all studies.
package plots

import (
	"slices"
	"strings"

	"closedform/figures"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Drawing returns the figure that draws one table.
func Drawing(name, from string, draw func(*table.Table) *figures.Figure) study.Figure {
	needed := func(t table.Tables) *figures.Figure { return draw(t.Get(from)) }
	return study.Figure{Name: name, Needs: []string{from}, Draw: needed}
}

// Curve returns the means in column y, with their intervals, against column x.
func Curve(t *table.Table, name, x, y string) figures.Curve {
	c := figures.Curve{Name: name, X: t.Nums(x), Y: t.Nums(y)}
	if t.Has(y + "_low") {
		c.Low, c.High = t.Nums(y+"_low"), t.Nums(y+"_high")
	}
	return c
}

// Heat returns a map of values, one for each row, over columns x and y, which have each pair of a grid once.
func Heat(t *table.Table, x, y string, values []float64) (m figures.Map) {
	xs, ys := t.Nums(x), t.Nums(y)
	m.X, m.Y = slices.Compact(slices.Sorted(slices.Values(xs))), slices.Compact(slices.Sorted(slices.Values(ys)))
	m.Z = make([]float64, len(values))
	for k, z := range values {
		m.Z[slices.Index(m.Y, ys[k])*len(m.X)+slices.Index(m.X, xs[k])] = z
	}
	return m
}

// Column is a column of a table, with the axis of a chart or the scale of maps that shows it.
type Column struct {
	Name string
	Axis figures.Axis
}

// Sweep draws columns over λ and ρ: a row of maps for each column that the tables have, with a map of each
// table. Finish completes a map, such as with its title.
func Sweep(columns []Column, tables []*table.Table, finish func(*figures.Map, *table.Table)) *figures.Figure {
	var rows []figures.Row
	for _, c := range columns {
		if !tables[0].Has(c.Name) {
			continue
		}
		row := figures.Row{Scale: c.Axis}
		for _, t := range tables {
			m := Heat(t, "lambda", "rho", t.Nums(c.Name))
			finish(&m, t)
			row.Maps = append(row.Maps, m)
		}
		rows = append(rows, row)
	}
	return figures.Maps(rows, figures.Labels{X: figures.Axis{Label: "$λ$"}, Y: figures.Axis{Label: "$ρ$"}})
}

// Matched returns the line of the λ that a criterion gives at each ρ.
func Matched(criterion string, lambda, rho []float64) figures.Curve {
	name := strings.Replace(criterion, "lsq", "least-squares", 1) + " $λ$"
	return figures.Curve{Name: name, Kind: figures.Line, X: lambda, Y: rho}
}

// Boundary returns the lines between the true classes of a task, if it has any. NaN separates the lines.
func Boundary(lines [2][]float64) []figures.Curve {
	if lines[0] == nil {
		return nil
	}
	return []figures.Curve{{Name: "true class boundary", Kind: figures.Reference, X: lines[0], Y: lines[1]}}
}
