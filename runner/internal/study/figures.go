package study

import (
	"fmt"
	"slices"
	"strings"

	"closedform/figures"
	"closedform/internal/field"
	"closedform/runner/internal/table"
)

const most = 8

// Chosen is the table [figures] of a manifest, the methods that charts show.
type Chosen struct {
	Methods []string `toml:"methods,omitempty"` // methods in charts, at most eight; default the first eight
}

// Validate reports invalid values.
func (c Chosen) Validate() error {
	if n := len(c.Methods); n > most {
		return field.Errorf("methods", "%d of them; allowed: at most %d in a chart", n, most)
	}
	return field.Distinct("methods", c.Methods)
}

// Check returns an error unless the methods are among those of these names.
func (c Chosen) Check(names ...string) error {
	return field.AllOneOf("figures.methods", c.Methods, names...)
}

// Rows returns those of the chosen methods, or without a choice of the first eight.
func (c Chosen) Rows(t *table.Table, methods []string) *table.Table {
	others := func(m string) bool { return !slices.Contains(methods, m) }
	shown := slices.DeleteFunc(slices.Clone(c.Methods), others)
	if len(shown) == 0 {
		shown = methods[:min(most, len(methods))]
	}
	var rows []int
	for i, m := range t.Texts("method") {
		if slices.Contains(shown, m) {
			rows = append(rows, i)
		}
	}
	return t.Rows(rows)
}

// Column is a column of a table with the axis, or the scale, that shows it.
type Column struct {
	Name string
	Axis figures.Axis
}

// Sweep draws columns over λ and ρ: a row of maps for each column that the tables have, and in it a map of
// each table, with what complete adds.
func Sweep(
	columns []Column, tables []*table.Table, complete func(*figures.Map, *table.Table),
) (*figures.Figure, error) {
	var rows []figures.Row
	for _, c := range columns {
		if !tables[0].Has(c.Name) {
			continue
		}
		row := figures.Row{Scale: c.Axis}
		for _, t := range tables {
			m, err := Heat(t, "lambda", "rho", t.Nums(c.Name))
			if err != nil {
				return nil, err
			}
			complete(&m, t)
			row.Maps = append(row.Maps, m)
		}
		rows = append(rows, row)
	}
	labels := figures.Labels{X: figures.Axis{Label: "$λ$"}, Y: figures.Axis{Label: "$ρ$"}}
	return figures.Maps(rows, labels), nil
}

// Matched returns the line of the λ that a criterion gives at each ρ.
func Matched(criterion string, lambda, rho []float64) figures.Curve {
	name := strings.Replace(criterion, "lsq", "least-squares", 1) + " $λ$"
	return figures.Curve{Name: name, Kind: figures.Line, X: lambda, Y: rho}
}

// Boundary returns the lines between the true classes of a task, which NaN separates.
func Boundary(lines [2][]float64) []figures.Curve {
	if lines[0] == nil {
		return nil
	}
	name := "true class boundary"
	return []figures.Curve{{Name: name, Kind: figures.Reference, X: lines[0], Y: lines[1]}}
}

// Drawing returns the figure that is drawn of one table.
func Drawing(name, from string, draw func(*table.Table) *figures.Figure) Figure {
	return Figure{name, []string{from}, func(t table.Set) (*figures.Figure, error) {
		return draw(t.Get(from)), nil
	}}
}

// Curve returns a column against x, of means with their intervals.
func Curve(t *table.Table, name, x, column string) figures.Curve {
	c := figures.Curve{Name: name, X: t.Nums(x), Y: t.Nums(column)}
	if t.Has(column + "_low") {
		c.Low, c.High = t.Nums(column+"_low"), t.Nums(column+"_high")
	}
	return c
}

// Heat returns values of the rows as a map over columns x and y, which have each pair once.
func Heat(t *table.Table, x, y string, values []float64) (m figures.Map, err error) {
	xs, ys := t.Nums(x), t.Nums(y)
	m.X, m.Y = slices.Compact(slices.Sorted(slices.Values(xs))), slices.Compact(slices.Sorted(slices.Values(ys)))
	if len(m.X) < 2 || len(m.Y) < 2 || len(m.X)*len(m.Y) != len(values) {
		return m, fmt.Errorf("the rows of %s are no grid of %s and %s", t.Name, x, y)
	}
	m.Z = make([]float64, len(values))
	for k, z := range values {
		i, _ := slices.BinarySearch(m.X, xs[k])
		j, _ := slices.BinarySearch(m.Y, ys[k])
		m.Z[j*len(m.X)+i] = z
	}
	return m, nil
}
