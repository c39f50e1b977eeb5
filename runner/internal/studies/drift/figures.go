package drift

import (
	"closedform/figures"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are "drift": error and log loss of the blocks along the stream, a row of
// charts for each drift.
func (e *experiment) Figures() []study.Figure {
	return []study.Figure{{Name: "drift", Needs: []string{"curve_summary", "distributions"}, Draw: func(t table.Set) (*figures.Figure, error) {
		var rows [][]figures.Chart
		for _, d := range e.Drifts {
			curve, best := t.Get("curve_summary").Where("drift", d.Name), t.Get("distributions").Where("drift", d.Name)
			rows = append(rows, []figures.Chart{
				chart(d.Name, "error", "error", curve, best.Nums("bayes_error")[0]),
				chart(d.Name, "log_loss", "log loss, nats", curve, best.Nums("log_loss")[0]),
			})
		}
		return figures.Charts(rows), nil
	}}}
}

// chart returns that of a loss along the stream, with that of the true
// probabilities.
func chart(title, column, label string, curve *table.Table, best float64) figures.Chart {
	seen := curve.Nums("seen")
	c := figures.Chart{
		Title: title, X: figures.Axis{Label: "examples seen"}, Y: figures.Axis{Label: label, Log: true},
		Curves: []figures.Curve{{
			Name: "true probabilities", Kind: figures.Reference, X: []float64{0, seen[len(seen)-1]}, Y: []float64{best, best},
		}},
	}
	for _, method := range curve.Distinct("method") {
		of := curve.Where("method", method)
		c.Curves = append(c.Curves, figures.Curve{Name: method, X: of.Nums("seen"), Y: of.Nums(column)})
	}
	return c
}
