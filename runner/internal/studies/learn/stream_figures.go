package learn

import (
	"math"
	"slices"

	"closedform/figures"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// mostCurves is the number of curves that a chart can hold.
const mostCurves = 28

// Figures are "curve": error and log loss on the test part and, of the first pass, on
// every example before it was learned, against the examples seen. An interval that
// reaches down to 0 is left out; in place of those of fewer than three seeds are the points
// of the seeds. There is no figure where all are scored once only, or
// where there are more curves than a chart can hold.
func (s *stream) Figures() []study.Figure {
	if len(s.names()) > mostCurves || len(s.Evaluate.Snapshots) == 0 && s.Evaluate.Passes == 1 {
		return nil
	}
	return []study.Figure{{Name: "curve", Needs: []string{"curve_summary", "curve"}, Draw: func(t table.Set) (*figures.Figure, error) {
		rows := [][]figures.Chart{
			{s.chart(t, "error", "test examples", "error"), s.chart(t, "log_loss", "test examples", "log loss, nats")},
		}
		if len(s.Evaluate.Snapshots) > 0 { // else there is one point of these
			const title = "next examples, mean so far"
			rows = append(rows, []figures.Chart{s.chart(t, "prequential_error", title, "error"), s.chart(t, "prequential_log_loss", title, "log loss, nats")})
		}
		return figures.Charts(rows), nil
	}}}
}

// chart returns a column of the means against the examples seen.
func (s *stream) chart(t table.Set, column, title, label string) figures.Chart {
	const enough = 3 // seeds for an interval
	means, curves := t.Get("curve_summary"), t.Get("curve")
	chart := figures.Chart{Title: title, X: figures.Axis{Label: "examples seen", Log: true}, Y: figures.Axis{Label: label, Log: true}}
	var points []figures.Curve
	for _, name := range s.names() {
		r := means.Where("method", name)
		curve := figures.Curve{Name: name, X: r.Nums("seen"), Y: r.Nums(column), Low: r.Nums(column + "_low"), High: r.Nums(column + "_high")}
		for i, low := range curve.Low {
			if low <= 0 || r.Nums("seeds")[i] < enough {
				curve.Low[i], curve.High[i] = math.NaN(), math.NaN()
			}
		}
		if slices.Min(r.Nums("seeds")) < enough {
			of := curves.Where("method", name)
			points = append(points, figures.Curve{Name: name, Kind: figures.Scatter, X: of.Nums("seen"), Y: of.Nums(column)})
			curve.Kind, chart.Title = figures.Line, title+": seeds, their mean"
		}
		chart.Curves = append(chart.Curves, curve)
	}
	chart.Curves = append(points, chart.Curves...)
	return chart
}
