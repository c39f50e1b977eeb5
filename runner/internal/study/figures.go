package study

import (
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

// Among returns the methods that are chosen, or if none is the first eight.
func (c Chosen) Among(methods []string) []string {
	others := func(m string) bool { return !slices.Contains(c.Methods, m) }
	if chosen := slices.DeleteFunc(slices.Clone(methods), others); len(chosen) > 0 {
		return chosen
	}
	return methods[:min(most, len(methods))]
}

// Column is a column of a table with the axis, or the scale, that shows it.
type Column struct {
	Name string
	Axis figures.Axis
}

// Sweep draws columns over λ and ρ: a row of maps for each column that the tables have, and in it a map of
// each table, with what finish adds.
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

// Heat returns values of the rows as a map over columns x and y, which have each pair of a grid once.
func Heat(t *table.Table, x, y string, values []float64) (m figures.Map) {
	xs, ys := t.Nums(x), t.Nums(y)
	m.X, m.Y = slices.Compact(slices.Sorted(slices.Values(xs))), slices.Compact(slices.Sorted(slices.Values(ys)))
	m.Z = make([]float64, len(values))
	for k, z := range values {
		m.Z[slices.Index(m.Y, ys[k])*len(m.X)+slices.Index(m.X, xs[k])] = z
	}
	return m
}
