package hidden

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/figures"
	"closedform/internal/kernel"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are "error", "log_loss" and "ece" against the examples seen, a chart
// for each task; and "maps_TASK" after the first pass, a column for each method
// that the manifest wants to be drawn.
func (e *experiment) Figures() []study.Figure {
	var out []study.Figure
	for _, q := range []struct {
		name, column string
		y            figures.Axis
	}{
		{"error", "accuracy", figures.Axis{Label: "test error", Log: true}},
		{"log_loss", "log_loss", figures.Axis{Label: "log loss, nats", Log: true, Min: 0.002, Max: 5}},
		{"ece", "ece", figures.Axis{Label: "calibration error", Log: true, Min: 0.001, Max: 1}},
	} {
		out = append(out, study.Drawing(q.name, "curve_summary", func(t *table.Table) *figures.Figure { return e.charts(t, q.column, q.y) }))
	}
	for _, of := range e.Tasks {
		if len(e.Hidden.Maps) > 0 {
			out = append(out, study.Figure{Name: "maps_" + of.Name, Needs: []string{"maps", "train"}, Draw: func(t table.Set) (*figures.Figure, error) {
				return e.maps(of, t.Get("maps").Where("task", of.Name), t.Get("train").Where("task", of.Name)), nil
			}})
		}
	}
	return out
}

// charts returns a column of the summary against the examples seen; in place of the
// accuracy the error, with the best that is possible.
func (e *experiment) charts(summary *table.Table, column string, y figures.Axis) *figures.Figure {
	var charts []figures.Chart
	legend := learner.NewLegend(e.Methods)
	for _, of := range e.Tasks {
		rows := summary.Where("task", of.Name)
		chart := figures.Chart{
			Title: fmt.Sprintf("%s, $n$ = %d", of.Name, of.Task().Classes),
			X:     figures.Axis{Label: "examples seen", Log: true}, Y: y,
		}
		for _, c := range study.Lines(rows, legend, "seen", column) {
			if column == "accuracy" {
				for _, accuracies := range [][]float64{c.Y, c.Low, c.High} {
					floats.Scale(-1, accuracies)
					floats.AddConst(1, accuracies)
				}
				c.Low, c.High = c.High, c.Low
			}
			chart.Curves = append(chart.Curves, c)
		}
		if best := of.Task().BayesError(); column == "accuracy" && best > 0 {
			seen := rows.Nums("seen")
			chart.Curves = append(chart.Curves, figures.Curve{
				Name: "Bayes error", Kind: figures.Reference, X: []float64{slices.Min(seen), slices.Max(seen)}, Y: []float64{best, best},
			})
		}
		charts = append(charts, chart)
	}
	return figures.Charts(slices.Collect(slices.Chunk(charts, 3)))
}

// maps returns the maps of a task: the probability of class one with the first
// training examples, the sum of the variances of all classes, and the entropy. The
// variances are those of the softmax: the probit's are negative where the logits
// are far apart and nearly certain.
func (e *experiment) maps(of task, maps, train *table.Table) *figures.Figure {
	g, classes := of.Task().Region.Grid(e.Hidden.Grid), of.Task().Classes
	top := 0.0
	for _, v := range maps.Nums("variance_exact") {
		if v > top {
			top = v
		}
	}
	rows := []figures.Row{
		{Scale: figures.Axis{Label: "$μ(y₁)$, probability", Max: 1}},
		{Scale: figures.Axis{Label: "$Σ_jσ²(y_j)$", Max: cmp.Or(top, 1)}},
		{Scale: figures.Axis{Label: "entropy, nats", Max: kernel.Log(float64(classes))}},
	}
	const wrong = 1e-5 // in moments, and as they are rounded
	for i, column := range []string{"p1", "variance_exact", "entropy"} {
		for _, method := range e.Hidden.Maps {
			m := figures.Map{Title: learner.NewLegend(e.Methods).Label(method), X: g.X, Y: g.Y, Z: maps.Where("method", method).Nums(column)}
			for k, z := range m.Z {
				if top := rows[i].Scale.Max; z >= -wrong && z <= top+wrong {
					m.Z[k] = min(max(z, 0), top)
				}
			}
			if i == 0 {
				m.Points = study.Points(train)[:min(60, train.Len())]
			}
			rows[i].Maps = append(rows[i].Maps, m)
		}
	}
	return figures.Maps(rows, figures.Labels{Classes: study.Classes(classes)})
}
