package study

import (
	figures "closedform/runner/internal/oldfigures"
	"closedform/runner/internal/store"
)

// figures draws, from the tables alone, "drift": error and logarithmic loss of the
// blocks along the stream, a row of charts for each drift.
func (d *drift) figures(tables []store.Table) []Figure {
	blocks, laws := find(tables, "block_means"), find(tables, "laws")
	var rows [][]figures.Chart
	for _, course := range d.Drifts {
		var charts []figures.Chart
		for _, q := range []struct{ column, label, least string }{
			{"error", "error", "bayes_error"},
			{"log_loss", "log loss, nats", "log_loss"},
		} {
			least := laws.where("drift", course.Name).floats(q.least)[0]
			chart := figures.Chart{
				Title: course.Name, X: figures.Axis{Label: "examples seen"}, Y: figures.Axis{Label: q.label, Log: true},
				Curves: []figures.Curve{{
					Name: "true probabilities", Style: figures.Reference, X: []float64{0, float64(d.Examples)}, Y: []float64{least, least},
				}},
			}
			for _, method := range d.Methods {
				r := blocks.where("drift", course.Name).where("method", method.Name)
				chart.Curves = append(chart.Curves, figures.Curve{Name: method.Name, X: r.floats("seen"), Y: r.floats(q.column)})
			}
			charts = append(charts, chart)
		}
		rows = append(rows, charts)
	}
	return []Figure{{"drift", figures.Charts(rows)}}
}
