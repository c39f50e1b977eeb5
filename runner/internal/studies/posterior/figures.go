package posterior

import (
	"fmt"

	"closedform/figures"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// perChart is the number of methods in a chart.
const perChart = 5

// Figures are "distance" from the exact posterior against the examples seen, means with intervals over the
// seeds, "distance_TASK" of the other tasks; and "maps_K" of each snapshot that is mapped.
func (e *experiment) Figures() (out []study.Figure) {
	for i, t := range e.tasks() {
		name := "distance"
		if i > 0 {
			name += "_" + t.Name
		}
		out = append(out, e.charts(name, t.Name, [][2]string{{"tv", "total variation from exact"}}))
	}
	for _, k := range e.Posterior.Mapped {
		name := fmt.Sprintf("maps_%d", k)
		out = append(out, study.Drawing(name, "maps", func(maps *table.Table) *figures.Figure {
			return e.page(maps.Where("k", k), k)
		}))
	}
	return out
}

// legend returns that of the methods, and of one Gaussian over all weights.
func (e *experiment) legend() learner.Legend {
	l := learner.NewLegend(e.Methods)
	l[jointName] = learner.Method{Label: "ADF, exact, joint", Group: "one"}
	return l
}

// charts draws columns of the summary with their labels, a row for each.
func (e *experiment) charts(name, task string, columns [][2]string) study.Figure {
	return study.Drawing(name, "curve_summary", func(t *table.Table) *figures.Figure {
		var rows [][]figures.Chart
		for _, c := range columns {
			row := figures.Chart{
				X: figures.Axis{Label: "examples seen", Log: true}, Y: figures.Axis{Label: c[1], Log: true},
				Curves: e.curves(t.Where("task", task), c[0]),
			}.Split(perChart)
			for i := range row {
				row[i].Curves = figures.Beside(row[i].Curves)
			}
			rows = append(rows, row)
		}
		return figures.Charts(rows)
	})
}

// curves returns a column of the summary against the examples seen, a curve for each method, equal
// probabilities, and the exact posterior, of total variations its noise.
func (e *experiment) curves(summary *table.Table, column string) (out []figures.Curve) {
	legend := e.legend()
	for _, name := range summary.Distinct("method") {
		t := summary.Where("method", name)
		c := study.Curve(t, legend.Label(name), "k", column)
		c.Group = legend.Group(name)
		switch {
		case name == uniformName:
			c = figures.Curve{Name: "equal probabilities", Kind: figures.Reference, X: c.X, Y: c.Y}
		case name == exactName && column == "tv":
			c = figures.Curve{Name: "noise of exact", Kind: figures.Reference, X: c.X, Y: t.Nums("tv_noise")}
		}
		out = append(out, c)
	}
	return out
}

// page draws a row of maps after k examples for every class but the last, the exact posterior to the
// left of the others, with the examples unless they would cover the maps.
func (e *experiment) page(maps *table.Table, k int) *figures.Figure {
	task := e.Data.Task()
	var labels figures.Labels
	var points []figures.Point
	if k <= 100 {
		train := task.Draw(e.Data.Train, study.Stream(e.header.Name, e.header.Seed, "train"))
		for i, x := range train.X[:k] {
			points = append(points, figures.Point{X: x[0], Y: x[1], Class: train.Class[i]})
		}
		labels.Classes = study.Classes(task.Classes)
	}
	var boundary []figures.Segment
	for _, b := range task.Boundary {
		boundary = append(boundary, figures.Segment(b))
	}
	x, y := task.Region.Axis(0, e.Posterior.MapGrid), task.Region.Axis(1, e.Posterior.MapGrid)
	var rows []figures.Row
	for j := 1; j < task.Classes; j++ {
		row := figures.Row{Scale: figures.Axis{Label: fmt.Sprintf("$p_%d$, probability", j), Max: 1}}
		for _, name := range maps.Distinct("method") {
			row.Maps = append(row.Maps, figures.Map{
				Title: e.legend().Label(name), X: x, Y: y, Boundary: boundary, Points: points,
				Z: maps.Where("method", name).Nums(fmt.Sprintf("p%d", j)),
			})
		}
		rows = append(rows, row)
	}
	return figures.Maps(rows, labels)
}
