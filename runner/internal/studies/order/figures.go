package order

import (
	"closedform/figures"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are "spread": how far networks are apart that have seen the same examples in different orders,
// and beside it different examples.
func (e *experiment) Figures() []study.Figure {
	return []study.Figure{study.Drawing("spread", "summary", func(summary *table.Table) *figures.Figure {
		chart := func(by, title, column, label string) figures.Chart {
			c := figures.Chart{
				Title: title, Curves: study.Lines(summary.Where("differ_by", by), learner.NewLegend(e.Methods), "size", column),
				X: figures.Axis{Label: "training examples, methods beside each other", Log: true}, Y: figures.Axis{Label: label, Log: true},
			}
			for i := range c.Curves {
				c.Curves[i].Kind = figures.Marked
			}
			c.Curves = figures.Beside(c.Curves)
			return c
		}
		row := func(column, label string) []figures.Chart {
			return []figures.Chart{chart(byOrder, "same examples, other order", column, label), chart(bySample, "other examples", column, label)}
		}
		return figures.Charts([][]figures.Chart{row("tv", "total variation"), row("accuracy_sd", "sd of the accuracy")})
	})}
}
