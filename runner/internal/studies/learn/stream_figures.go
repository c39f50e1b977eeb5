package learn

import (
	"math"

	"closedform/figures"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// mostCurves is the number of curves that a chart can hold.
const mostCurves = 28

// Figures are "curve": error and log loss on the test part and, of the first pass, on
// every example before it was learned, against the examples seen. An interval that
// reaches down to 0 is left out. There is no figure where all are scored once only, or
// where there are more curves than a chart can hold.
func (s *stream) Figures() []study.Figure {
	if len(s.names()) > mostCurves || len(s.Evaluate.Snapshots) == 0 && s.Evaluate.Passes == 1 {
		return nil
	}
	return []study.Figure{study.Drawing("curve", "curve_summary", func(means *table.Table) *figures.Figure {
		return figures.Charts([][]figures.Chart{
			{s.chart(means, "error", "test examples", "error"), s.chart(means, "prequential_error", "next examples, mean so far", "error")},
			{
				s.chart(means, "log_loss", "test examples", "log loss, nats"),
				s.chart(means, "prequential_log_loss", "next examples, mean so far", "log loss, nats"),
			},
		})
	})}
}

// chart returns a column of the means against the examples seen.
func (s *stream) chart(means *table.Table, column, title, label string) figures.Chart {
	chart := figures.Chart{Title: title, X: figures.Axis{Label: "examples seen", Log: true}, Y: figures.Axis{Label: label, Log: true}}
	for _, name := range s.names() {
		r := means.Where("method", name)
		curve := figures.Curve{Name: name, X: r.Nums("seen"), Y: r.Nums(column), Low: r.Nums(column + "_low"), High: r.Nums(column + "_high")}
		for i, low := range curve.Low {
			if low <= 0 {
				curve.Low[i], curve.High[i] = math.NaN(), math.NaN()
			}
		}
		chart.Curves = append(chart.Curves, curve)
	}
	return chart
}
