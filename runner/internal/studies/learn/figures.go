package learn

import (
	"math"
	"slices"

	"closedform/figures"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are "curve": error and log loss on the test part and, of the first pass, on every example
// before it was learned, against the examples seen. An interval of fewer than three seeds, or
// that reaches down to 0, is left out.
func (s *stream) Figures() []study.Figure {
	return []study.Figure{study.Drawing("curve", "curve_summary", func(means *table.Table) *figures.Figure {
		return figures.Charts([][]figures.Chart{
			s.charts(means, "test examples", ""), s.charts(means, "next examples, mean so far", "prequential_"),
		})
	})}
}

// charts returns charts of the error and of the log loss, with as few curves as can be distinguished.
func (s *stream) charts(means *table.Table, title, prefix string) (row []figures.Chart) {
	const mostCurves = 8
	legend := learner.NewLegend(s.Methods)
	for _, y := range [][2]string{{"error", "error"}, {"log_loss", "log loss, nats"}} {
		c := figures.Chart{Title: title, X: figures.Axis{Label: "examples seen", Log: true}, Y: figures.Axis{Label: y[1], Log: true}}
		for _, name := range means.Distinct("method") {
			of := means.Where("method", name)
			curve := study.Curve(of, legend.Label(name), "seen", prefix+y[0])
			curve.Group = legend.Group(name)
			few := slices.Min(of.Nums("seeds")) < 3
			for i, low := range curve.Low {
				if few || low <= 0 {
					curve.Low[i], curve.High[i] = math.NaN(), math.NaN()
				}
			}
			c.Curves = append(c.Curves, curve)
		}
		n := len(c.Curves)
		for n > mostCurves {
			n = (n + 1) / 2
		}
		row = append(row, c.Split(n)...)
	}
	return row
}
