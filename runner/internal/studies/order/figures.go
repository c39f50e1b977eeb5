package order

import (
	"closedform/figures"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are "spread": how far networks are apart that have seen the same examples in different orders,
// and beside it different examples; two rows of charts for each task.
func (e *experiment) Figures() []study.Figure {
	return []study.Figure{study.Drawing("spread", "summary", func(summary *table.Table) *figures.Figure {
		chart := func(task, by, title, column, label string) figures.Chart {
			rows := summary.Where("task", task).Where("differ_by", by)
			c := figures.Chart{
				Title: task + ": " + title, Curves: study.Lines(rows, learner.NewLegend(e.Methods), "size", column),
				X: figures.Axis{Label: "training examples, methods beside each other", Log: true}, Y: figures.Axis{Label: label, Log: true},
			}
			for i := range c.Curves {
				c.Curves[i].Kind = figures.Marked
			}
			c.Curves = figures.Beside(c.Curves)
			return c
		}
		var rows [][]figures.Chart
		for _, task := range e.Tasks {
			for _, y := range [][2]string{{"tv", "total variation"}, {"accuracy_sd", "sd of the accuracy"}} {
				rows = append(rows, []figures.Chart{
					chart(task.Name, byOrder, "same examples, other order", y[0], y[1]),
					chart(task.Name, bySample, "other examples", y[0], y[1]),
				})
			}
		}
		return figures.Charts(rows)
	})}
}
