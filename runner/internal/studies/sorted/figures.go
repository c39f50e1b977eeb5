package sorted

import (
	"slices"

	"closedform/figures"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are "course": the accuracy on the classes so far after each, a chart for each set.
func (e *experiment) Figures() []study.Figure {
	return []study.Figure{study.Drawing("course", "course_summary", func(means *table.Table) *figures.Figure {
		var charts []figures.Chart
		for _, set := range means.Distinct("set") {
			charts = append(charts, figures.Chart{
				Title: set, X: figures.Axis{Label: "classes learned"}, Y: figures.Axis{Label: "accuracy on these classes", Max: 1},
				Curves: study.Lines(means.Where("set", set), learner.NewLegend(e.Methods), "classes", "accuracy"),
			})
		}
		return figures.Charts(slices.Collect(slices.Chunk(charts, 2)))
	})}
}
