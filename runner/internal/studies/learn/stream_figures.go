package learn

import (
	"math"
	"slices"

	"closedform/figures"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// errorAndLoss are the columns that are drawn, with the labels of their axes.
var errorAndLoss = [][2]string{{"error", "error"}, {"log_loss", "log loss, nats"}}

const (
	onTest = "test examples"
	onNext = "next examples, mean so far"

	mostCurves = 8 // that are told apart in one chart
	across     = 3 // small charts in a row
)

// Figures are "curve": error and log loss on the test part and, of the first pass, on
// every example before it was learned, against the examples seen. An interval that
// reaches down to 0 is left out; in place of those of fewer than three seeds are the points
// of the seeds. Where more learn than curves are told apart, each has a
// small chart of its own in "curve_error" and "curve_log_loss".
func (s *stream) Figures() (out []study.Figure) {
	if len(s.learners()) <= mostCurves {
		return []study.Figure{{Name: "curve", Needs: []string{"curve_summary", "curve"}, Draw: func(t table.Set) (*figures.Figure, error) {
			var test, next []figures.Chart
			for _, y := range errorAndLoss {
				test = append(test, s.compared(t, chart(onTest, y[1]), y[0]))
				next = append(next, s.compared(t, chart(onNext, y[1]), "prequential_"+y[0]))
			}
			return figures.Charts([][]figures.Chart{test, next}), nil
		}}}
	}
	for _, y := range errorAndLoss {
		out = append(out, study.Drawing("curve_"+y[0], "curve_summary", func(means *table.Table) *figures.Figure {
			var charts []figures.Chart
			for _, name := range means.Distinct("method") {
				c, of := chart(learner.NewLegend(s.Methods).Label(name), y[1]), means.Where("method", name)
				c.Curves = []figures.Curve{curve(of, onTest, y[0]), curve(of, onNext, "prequential_"+y[0])}
				charts = append(charts, c)
			}
			return figures.Multiples(charts, across)
		}))
	}
	return out
}

// compared returns the chart with a column of all methods.
func (s *stream) compared(t table.Set, c figures.Chart, column string) figures.Chart {
	const enough = 3 // seeds for an interval
	title, legend := c.Title, learner.NewLegend(s.Methods)
	for _, name := range t.Get("curve").Distinct("method") {
		means, seeds := t.Get("curve_summary").Where("method", name), t.Get("curve").Where("method", name)
		mean := curve(means, legend.Label(name), column)
		mean.Group = legend.Group(name)
		if slices.Min(means.Nums("seeds")) < enough {
			c.Curves = append(c.Curves, figures.Curve{Name: mean.Name, Group: mean.Group, Kind: figures.Scatter, X: seeds.Nums("seen"), Y: seeds.Nums(column)})
			mean.Kind, mean.Low, mean.High = figures.Line, nil, nil
			c.Title = title + ": seeds, their mean"
		}
		c.Curves = append(c.Curves, mean)
	}
	return c
}

func chart(title, y string) figures.Chart {
	return figures.Chart{Title: title, X: figures.Axis{Label: "examples seen", Log: true}, Y: figures.Axis{Label: y, Log: true}}
}

// curve returns a column of means, without intervals that reach down to 0.
func curve(means *table.Table, name, column string) figures.Curve {
	c := study.Curve(means, name, "seen", column)
	for i, low := range c.Low {
		if low <= 0 {
			c.Low[i], c.High[i] = math.NaN(), math.NaN()
		}
	}
	return c
}
