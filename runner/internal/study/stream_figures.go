package study

import (
	"math"

	figures "closedform/runner/internal/oldfigures"
	"closedform/runner/internal/store"
)

// mostCurves is the number of curves that a chart can hold.
const mostCurves = 28

// figures draws, from the tables alone, "curve": error and logarithmic loss on the
// test part and, of the first pass, on every example before it was learned,
// against the examples seen. An interval that reaches down to 0 is left out. There is
// no figure where each was scored once only, or where there are more curves than a
// chart can hold.
func (s *stream) figures(tables []store.Table) []Figure {
	means := find(tables, "curve_means")
	if names := s.names(); len(names) > mostCurves || len(means.Rows) == len(names) {
		return nil
	}
	var rows [][]figures.Chart
	for _, q := range [][]struct{ column, title, label string }{
		{{"error", "test examples", "error"}, {"prequential_error", "next examples, mean so far", "error"}},
		{{"log_loss", "test examples", "log loss, nats"}, {"prequential_log_loss", "next examples, mean so far", "log loss, nats"}},
	} {
		var charts []figures.Chart
		for _, c := range q {
			chart := figures.Chart{
				Title: c.title, X: figures.Axis{Label: "examples seen", Log: true}, Y: figures.Axis{Label: c.label, Log: true},
			}
			for _, name := range s.names() {
				r := means.where("variant", name)
				curve := figures.Curve{
					Name: name, X: r.floats("seen"), Y: r.floats(c.column), Low: r.floats(c.column + "_low"), High: r.floats(c.column + "_high"),
				}
				for i, low := range curve.Low {
					if low <= 0 {
						curve.Low[i], curve.High[i] = math.NaN(), math.NaN()
					}
				}
				chart.Curves = append(chart.Curves, curve)
			}
			charts = append(charts, chart)
		}
		rows = append(rows, charts)
	}
	return []Figure{{"curve", figures.Charts(rows)}}
}
