package drift

import (
	"closedform/figures"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are "drift" and "drift_error": log loss and error of the blocks along the stream, with that
// of the true probabilities, a row of charts for each drift: of each method, and the same with forgetting.
func (e *experiment) Figures() (out []study.Figure) {
	for _, q := range []struct{ name, column, label string }{
		{"drift", "log_loss", "log loss, nats"}, {"drift_error", "error", "error"},
	} {
		out = append(out, study.Figure{Name: q.name, Needs: []string{"curve_summary", "distributions"}, Draw: func(t table.Set) (*figures.Figure, error) {
			var rows [][]figures.Chart
			for _, d := range e.Drifts {
				best := t.Get("distributions").Where("drift", d.Name).Nums(q.column)[0]
				c := figures.Chart{X: figures.Axis{Label: "examples seen"}, Y: figures.Axis{Label: d.Name + ": " + q.label, Log: true}}
				c.Curves = append([]figures.Curve{{
					Name: "true probabilities", Kind: figures.Reference, X: []float64{0, float64(e.Stream.Examples)}, Y: []float64{best, best},
				}}, study.Lines(t.Get("curve_summary").Where("drift", d.Name), learner.NewLegend(e.Methods), "seen", q.column)...)
				rows = append(rows, c.Split(2))
			}
			return figures.Charts(rows), nil
		}})
	}
	return out
}
