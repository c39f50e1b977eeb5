package hidden

import (
	"fmt"
	"math"
	"slices"

	"closedform/figures"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are "accuracy", "log_loss" and "ece" against the examples seen, a chart
// for each task; and "maps_TASK" after the first pass, a column for each variant
// that the manifest wants to be drawn.
func (e *experiment) Figures() []study.Figure {
	var out []study.Figure
	add := func(name string, draw func(table.Set) *figures.Figure, needs ...string) {
		out = append(out, study.Figure{Name: name, Needs: needs, Draw: func(t table.Set) (*figures.Figure, error) { return draw(t), nil }})
	}
	for _, q := range []struct {
		column string
		y      figures.Axis
	}{
		{"accuracy", figures.Axis{Label: "test accuracy", Min: 0.3, Max: 1}},
		{"log_loss", figures.Axis{Label: "log loss, nats", Log: true, Min: 0.002, Max: 5}},
		{"ece", figures.Axis{Label: "calibration error", Log: true, Min: 0.001, Max: 1}},
	} {
		add(q.column, func(t table.Set) *figures.Figure { return e.charts(t.Get("curve_summary"), q.column, q.y) }, "curve_summary")
	}
	for _, task := range e.Tasks {
		if len(e.Hidden.Maps) > 0 {
			add("maps_"+task.Name, func(t table.Set) *figures.Figure {
				return e.maps(task, t.Get("maps").Where("task", task.Name), t.Get("train").Where("task", task.Name))
			}, "maps", "train")
		}
	}
	return out
}

// charts returns a column of the summary against the examples seen; of the
// accuracy with the best that is possible.
func (e *experiment) charts(summary *table.Table, column string, y figures.Axis) *figures.Figure {
	var charts []figures.Chart
	for _, task := range e.Tasks {
		rows := summary.Where("task", task.Name)
		chart := figures.Chart{
			Title: fmt.Sprintf("%s, $n$ = %d", task.Name, task.Task().Classes),
			X:     figures.Axis{Label: "examples seen", Log: true}, Y: y,
		}
		for _, method := range rows.Distinct("method") {
			r := rows.Where("method", method)
			chart.Curves = append(chart.Curves, figures.Curve{
				Name: method, Kind: figures.Line,
				X: r.Nums("seen"), Y: r.Nums(column), Low: r.Nums(column + "_low"), High: r.Nums(column + "_high"),
			})
		}
		if column == "accuracy" {
			seen, best := rows.Nums("seen"), 1-task.Task().BayesError()
			chart.Curves = append(chart.Curves, figures.Curve{
				Name: "Bayes", Kind: figures.Reference, X: []float64{slices.Min(seen), slices.Max(seen)}, Y: []float64{best, best},
			})
		}
		charts = append(charts, chart)
	}
	return figures.Charts(slices.Collect(slices.Chunk(charts, 3)))
}

// mappedPoints is the number of training examples on the maps of the probability.
const mappedPoints = 60

// maps returns the maps of a task: the probability of class one, the sum of the
// variances of all classes, and the entropy. The variances are those of the
// softmax: the probit's are negative where the logits are far apart and nearly
// certain.
func (e *experiment) maps(task task, maps, train *table.Table) *figures.Figure {
	of := task.Task()
	g := gridOf(of, e.Hidden.Grid)
	var labels figures.Labels
	for j := range of.Classes {
		labels.Classes = append(labels.Classes, fmt.Sprintf("class %d", j+1))
	}
	var rows []figures.Row
	for _, q := range []struct {
		column, label string
		top           float64
	}{
		{"p1", "$μ(y₁)$, probability", 1},
		{"variance_exact", "$Σ_jσ²(y_j)$", largest(maps.Nums("variance_exact"))},
		{"entropy", "entropy, nats", math.Log(float64(of.Classes))},
	} {
		row := figures.Row{Scale: figures.Axis{Label: q.label, Max: q.top}}
		for _, method := range e.Hidden.Maps {
			m := figures.Map{Title: method, X: g.X, Y: g.Y, Z: maps.Where("method", method).Nums(q.column)}
			snap(m.Z, q.top)
			if q.column == "p1" {
				m.Points = examples(train, mappedPoints)
			}
			row.Maps = append(row.Maps, m)
		}
		rows = append(rows, row)
	}
	return figures.Maps(rows, labels)
}

// examples returns the first n training examples, or all.
func examples(train *table.Table, n int) []figures.Point {
	x1, x2, class := train.Nums("x1"), train.Nums("x2"), train.Nums("class")
	var out []figures.Point
	for i := range min(n, train.Len()) {
		out = append(out, figures.Point{X: x1[i], Y: x2[i], Class: int(class[i]) - 1})
	}
	return out
}

// largest returns the largest number above zero, or 1 if there is none.
func largest(x []float64) float64 {
	top := 0.0
	for _, v := range x {
		if v > top {
			top = v
		}
	}
	if top == 0 {
		return 1
	}
	return top
}

// snap moves numbers that are outside the scale by no more than they are wrong, as
// moments and as they are rounded, to its ends.
func snap(z []float64, top float64) {
	const wrong = 1e-5
	for i, x := range z {
		if x < 0 && x >= -wrong || x > top && x <= top+wrong {
			z[i] = min(max(x, 0), top)
		}
	}
}
