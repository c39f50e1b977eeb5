package discover

import (
	"closedform/figures"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are, of each set, "stream": what share of each block of the stream is called unknown
// and answered wrong by the methods that buy the labels of what is unknown to them; classes turn
// up where the shares jump. And "labels": the same of all ways to buy labels, of the first method of each.
func (e *experiment) Figures() []study.Figure {
	draw := func(rows func(of *table.Table) (curves func(column string) []figures.Curve)) func(*table.Table) *figures.Figure {
		return func(t *table.Table) *figures.Figure {
			var charts [][]figures.Chart
			for _, set := range e.Sets {
				curves := rows(t.Where("set", set.Name))
				var row []figures.Chart
				for _, column := range []struct{ name, label string }{
					{"bought_share", "share of labels bought"}, {"wrong", "share answered wrong"},
				} {
					row = append(row, figures.Chart{
						Title: set.Name, X: figures.Axis{Label: "examples of the stream"}, Y: figures.Axis{Label: column.label}, Curves: curves(column.name),
					})
				}
				charts = append(charts, row)
			}
			return figures.Charts(charts)
		}
	}
	legend := learner.NewLegend(e.Methods)
	return []study.Figure{
		study.Drawing("stream", "curve_summary", draw(func(of *table.Table) func(string) []figures.Curve {
			return func(column string) []figures.Curve {
				return study.Lines(of.Where("labels", unknown), legend, "seen", column)
			}
		})),
		study.Drawing("labels", "curve_summary", draw(func(of *table.Table) func(string) []figures.Curve {
			first := of.Where("method", of.Texts("method")[0])
			return func(column string) (curves []figures.Curve) {
				for i, way := range []string{unknown, random, oracle} {
					c := study.Curve(first.Where("labels", way), way, "seen", column)
					c.Kind, c.Group = figures.Line, i+1
					curves = append(curves, c)
				}
				return curves
			}
		})),
	}
}
