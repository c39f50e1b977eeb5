package drift

import (
	"closedform/figures"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// perChart is the number of methods in a chart: one, and the same with forgetting.
const perChart = 2

// Figures are "drift" and "drift_error": log loss and error of the blocks along the
// stream, a row of charts for each drift.
func (e *experiment) Figures() (out []study.Figure) {
	for _, q := range []struct{ name, column, best, label string }{
		{"drift", "log_loss", "log_loss", "log loss, nats"}, {"drift_error", "error", "bayes_error", "error"},
	} {
		out = append(out, study.Figure{Name: q.name, Needs: []string{"curve_summary", "distributions"}, Draw: func(t table.Set) (*figures.Figure, error) {
			var rows [][]figures.Chart
			for _, d := range e.Drifts {
				c := e.chart(q.column, t.Get("curve_summary").Where("drift", d.Name), t.Get("distributions").Where("drift", d.Name).Nums(q.best)[0])
				c.Y.Label = d.Name + ": " + q.label
				rows = append(rows, c.Split(perChart))
			}
			return figures.Charts(rows), nil
		}})
	}
	return out
}

// chart returns that of a loss along the stream, with that of the true
// probabilities.
func (e *experiment) chart(column string, curve *table.Table, best float64) figures.Chart {
	seen := curve.Nums("seen")
	c := figures.Chart{
		X: figures.Axis{Label: "examples seen"}, Y: figures.Axis{Log: true},
		Curves: []figures.Curve{{
			Name: "true probabilities", Kind: figures.Reference, X: []float64{0, seen[len(seen)-1]}, Y: []float64{best, best},
		}},
	}
	legend := learner.NewLegend(e.Methods)
	for _, method := range curve.Distinct("method") {
		of := curve.Where("method", method)
		c.Curves = append(c.Curves, figures.Curve{
			Name: legend.Label(method), Group: legend.Group(method), Kind: figures.Line, X: of.Nums("seen"), Y: of.Nums(column),
			Low: of.Nums(column + "_low"), High: of.Nums(column + "_high"),
		})
	}
	return c
}
