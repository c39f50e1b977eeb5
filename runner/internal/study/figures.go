package study

import (
	"fmt"

	"closedform/figures"
	"closedform/runner/internal/table"
)

// Drawing returns the figure that is drawn of one table.
func Drawing(name, of string, draw func(*table.Table) *figures.Figure) Figure {
	return Figure{name, []string{of}, func(t table.Set) (*figures.Figure, error) { return draw(t.Get(of)), nil }}
}

// Curve returns a column of means against another, with their intervals.
func Curve(means *table.Table, name, x, column string) figures.Curve {
	return figures.Curve{Name: name, X: means.Nums(x), Y: means.Nums(column), Low: means.Nums(column + "_low"), High: means.Nums(column + "_high")}
}

// Legend says how figures show the methods.
type Legend interface {
	Label(method string) string
	Group(method string) int
}

// Lines returns a [Curve] of each method.
func Lines(means *table.Table, legend Legend, x, column string) (all []figures.Curve) {
	for _, method := range means.Distinct("method") {
		c := Curve(means.Where("method", method), legend.Label(method), x, column)
		c.Kind, c.Group = figures.Line, legend.Group(method)
		all = append(all, c)
	}
	return all
}

// Points returns the examples of a table with the columns x1, x2 and class, from 1.
func Points(train *table.Table) []figures.Point {
	points := make([]figures.Point, train.Len())
	x1, x2, class := train.Nums("x1"), train.Nums("x2"), train.Nums("class")
	for i := range points {
		points[i] = figures.Point{X: x1[i], Y: x2[i], Class: int(class[i]) - 1}
	}
	return points
}

// Classes returns the labels of so many classes.
func Classes(n int) (labels []string) {
	for j := range n {
		labels = append(labels, fmt.Sprintf("class %d", j+1))
	}
	return labels
}
