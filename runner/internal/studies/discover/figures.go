package discover

import (
	"closedform/figures"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are "stream": of each set, what share of each block of the stream is called unknown
// and answered wrong by the methods that buy the labels of what is unknown to them; classes turn
// up where the shares jump.
func (e *experiment) Figures() []study.Figure {
	return []study.Figure{study.Drawing("stream", "curve_summary", func(t *table.Table) *figures.Figure {
		var charts [][]figures.Chart
		for _, set := range e.Sets {
			of := t.Where("set", set.Name).Where("labels", unknown)
			chart := func(column, label string) figures.Chart {
				return figures.Chart{
					Title: set.Name, X: figures.Axis{Label: "examples of the stream"}, Y: figures.Axis{Label: label},
					Curves: study.Lines(of, learner.NewLegend(e.Methods), "seen", column),
				}
			}
			charts = append(charts, []figures.Chart{chart("bought_share", "share of labels bought"), chart("wrong", "share answered wrong")})
		}
		return figures.Charts(charts)
	})}
}
