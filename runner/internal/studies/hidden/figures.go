package hidden

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/figures"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are "error", "log_loss" and "ece" against the examples seen, a chart for each task.
func (e *experiment) Figures() (out []study.Figure) {
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
	return out
}

// charts returns a column of the summary against the examples seen; in place of the
// accuracy the error, with the best that is possible.
func (e *experiment) charts(summary *table.Table, column string, y figures.Axis) *figures.Figure {
	var charts []figures.Chart
	for _, of := range e.Tasks {
		rows := summary.Where("task", of.Name)
		chart := figures.Chart{
			Title: fmt.Sprintf("%s, $n$ = %d", of.Name, of.Task().Classes),
			X:     figures.Axis{Label: "examples seen", Log: true}, Y: y,
			Curves: study.Lines(rows, learner.NewLegend(e.Methods), "seen", column),
		}
		if column == "accuracy" {
			for i, c := range chart.Curves {
				for _, accuracies := range [][]float64{c.Y, c.Low, c.High} {
					floats.Scale(-1, accuracies)
					floats.AddConst(1, accuracies)
				}
				chart.Curves[i].Low, chart.Curves[i].High = c.High, c.Low
			}
			if best := of.Task().BayesError(); best > 0 {
				seen := rows.Nums("seen")
				chart.Curves = append(chart.Curves, figures.Curve{
					Name: "Bayes error", Kind: figures.Reference, X: []float64{slices.Min(seen), slices.Max(seen)}, Y: []float64{best, best},
				})
			}
		}
		charts = append(charts, chart)
	}
	return figures.Charts(slices.Collect(slices.Chunk(charts, 3)))
}
