package study

import (
	"math"
	"slices"

	"closedform/figures"
	"closedform/internal/field"
	"closedform/runner/internal/table"
)

// most is how many methods a chart has at most.
const most = 8

// Chosen is the table [figures] of a manifest: what charts show.
type Chosen struct {
	Methods []string `toml:"methods,omitempty"` // methods in charts, at most eight; default the first eight
}

// Validate reports what is not allowed.
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

// Of returns the rows of the methods that are shown: of these the chosen ones, or else the first eight.
func (c Chosen) Of(t *table.Table, all []string) *table.Table {
	shown := slices.DeleteFunc(slices.Clone(c.Methods), func(m string) bool { return !slices.Contains(all, m) })
	if len(shown) == 0 {
		shown = all[:min(most, len(all))]
	}
	var rows []int
	for i, m := range t.Texts("method") {
		if slices.Contains(shown, m) {
			rows = append(rows, i)
		}
	}
	return t.Rows(rows)
}

// Boundary returns the lines between the true classes of a task.
func Boundary[S ~struct{ X0, Y0, X1, Y1 float64 }](segments []S) []figures.Curve {
	if len(segments) == 0 {
		return nil
	}
	c, gap := figures.Curve{Name: "true class boundary", Kind: figures.Reference}, math.NaN()
	for _, s := range segments {
		l := struct{ X0, Y0, X1, Y1 float64 }(s)
		c.X, c.Y = append(c.X, l.X0, l.X1, gap), append(c.Y, l.Y0, l.Y1, gap)
	}
	return []figures.Curve{c}
}

// Points returns examples with two inputs as points of a map.
func Points(x [][]float64, class []int) (points []figures.Point) {
	for i, x := range x {
		points = append(points, figures.Point{X: x[0], Y: x[1], Class: class[i]})
	}
	return points
}
