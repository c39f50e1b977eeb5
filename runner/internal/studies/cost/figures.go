package cost

import (
	"fmt"
	"math"
	"strings"

	"closedform/core/kernel"
	"closedform/figures"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// timed returns the column of the time that belongs to an axis, and its words.
func timed(axis string) (column, label string) {
	if axis == "examples" {
		return "stream", "time of all, s"
	}
	return "observe", "time of one Observe, μs"
}

// slopes returns d log time / d log size of every method along every axis.
func (e *experiment) slopes(t *table.Table) *table.Table {
	out := table.New("timing_slopes",
		table.Text("axis", "what is changed"), table.Text("method", "the network"),
		table.Num("slope", "least squares of log time on log size over the upper half of the sizes: "+
			"of one Observe, or along the examples of the whole stream"),
		table.Num("predict", "that of one Predict"))
	for _, axis := range e.Cost.axes() {
		column, _ := timed(axis.name)
		for _, m := range e.models {
			rows := t.Where("axis", axis.name).Where("method", m.Name)
			x := rows.Nums("size")
			predict := slope(x, rows.Nums("predict"))
			if axis.name == "examples" {
				predict = math.NaN()
			}
			out.Add(axis.name, m.Name, slope(x, rows.Nums(column)), predict)
		}
	}
	return out
}

// slope returns that of the least-squares line through (log x, log y) over the upper half
// of x, which increases; NaN for fewer than two points.
func slope(x, y []float64) float64 {
	x, y = x[len(x)/2:], y[len(x)/2:]
	n := float64(len(x))
	var sx, sy, sxx, sxy float64
	for i := range x {
		u, v := kernel.Log(x[i]), kernel.Log(y[i])
		sx, sy, sxx, sxy = sx+u, sy+v, sxx+u*u, sxy+u*v
	}
	if n < 2 {
		return math.NaN()
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// Figures are "timing_cost": time against size, a chart for each axis with the slopes
// above it.
func (e *experiment) Figures() []study.Figure {
	return []study.Figure{{
		Name: "timing_cost", Needs: []string{"timing_cost", "timing_slopes"},
		Draw: func(t table.Set) (*figures.Figure, error) {
			rows := make([][]figures.Chart, 2)
			for i, axis := range e.Cost.axes() {
				rows[i/2] = append(rows[i/2], e.chart(t, axis))
			}
			return figures.Charts(rows), nil
		},
	}}
}

func (e *experiment) chart(t table.Set, axis axis) figures.Chart {
	column, label := timed(axis.name)
	c := figures.Chart{X: figures.Axis{Label: axis.label, Log: true}, Y: figures.Axis{Label: label, Log: true}}
	var slopes []string
	for _, m := range e.models {
		rows := t.Get("timing_cost").Where("axis", axis.name).Where("method", m.Name)
		c.Curves = append(c.Curves, figures.Curve{Name: m.Name, X: rows.Nums("size"), Y: rows.Nums(column)})
		s := t.Get("timing_slopes").Where("axis", axis.name).Where("method", m.Name).Nums("slope")[0]
		if !math.IsNaN(s) {
			slopes = append(slopes, fmt.Sprintf("%s %.2f", m.Name, s))
		}
	}
	c.Title = "slopes: " + strings.Join(slopes, ", ")
	return c
}
