// Package plots has what the figures of all studies share: which methods a chart shows, their labels and
// colours, and curves and maps of columns of tables.
package plots

import (
	"cmp"
	"hash/crc32"
	"slices"
	"strings"

	"closedform/figures"
	"closedform/internal/field"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

const (
	maxMethods  = 8 // largest number of methods in a chart
	someMethods = 6 // number of methods in a chart if none are chosen
)

// Chosen is the table [figures] of a manifest, the methods that charts show.
type Chosen struct {
	// Methods are methods in charts, at most eight; default the first six.
	Methods []string `toml:"methods,omitempty" check:"distinct"`
}

// Validate returns an error if a chart would have too many methods.
func (c Chosen) Validate() error {
	return field.Refuse(len(c.Methods) > maxMethods, "methods", c.Methods, "at most eight in a chart")
}

// Check returns an error if a chosen method is not among names.
func (c Chosen) Check(names ...string) error {
	return field.Among("figures.methods", names, c.Methods...)
}

// Among returns the methods that are chosen, or, if none is, the first six.
func (c Chosen) Among(methods []string) []string {
	others := func(m string) bool { return !slices.Contains(c.Methods, m) }
	if chosen := slices.DeleteFunc(slices.Clone(methods), others); len(chosen) > 0 {
		return chosen
	}
	return methods[:min(someMethods, len(methods))]
}

// Legend maps the names of methods to their labels in figures and tables.
type Legend map[string]learner.Method

// NewLegend returns the legend of the methods of a manifest.
func NewLegend(methods []learner.Method) Legend {
	l := Legend{}
	for _, m := range methods {
		l[m.Name] = m
	}
	return l
}

// Label returns the label of a method.
func (l Legend) Label(name string) string {
	return cmp.Or(l[name].Label, strings.NewReplacer("-", " ", "_", " ").Replace(name))
}

// Curves returns a curve of means with intervals for each of the methods.
func (l Legend) Curves(means *table.Table, methods []string, x, y string) (curves []figures.Curve) {
	for _, name := range methods {
		curve := Curve(means.Where("method", name), l.Label(name), x, y)
		curve.Group = l.Group(name)
		curves = append(curves, curve)
	}
	return curves
}

// families are the colour groups of words of methods that are often compared.
var families = map[string]int{
	"adf": 1, "default": 1, "bank": 1, "probit": 2, "one": 2, "joint": 3, "paper": 3, "kalman": 4, "slope": 4,
	"tagi": 5, "sgd": 6, "adam": 6, "ridge": 7, "low": 7, "exact": 8, "laplace": 8, "gaussian": 9,
	"majority": 10,
}

// Group returns the colour group of a method, see [figures.Curve]. It is the same in all figures.
func (l Legend) Group(name string) int {
	first := strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' })
	word := cmp.Or(l[name].Group, append(first, name)[0])
	return cmp.Or(families[word], 1+int(crc32.ChecksumIEEE([]byte(word))%10)) // figures have ten colours
}

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
	labels := figures.Labels{X: figures.Axis{Label: "$λ$"}, Y: figures.Axis{Label: "$ρ$"}, Tiles: true}
	return figures.Maps(rows, labels)
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
