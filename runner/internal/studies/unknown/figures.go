package unknown

import (
	"closedform/figures"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are "risk_coverage": the share of errors among the decisions, against the share of examples
// decided, as the threshold on the first score moves.
func (e *experiment) Figures() []study.Figure {
	const name = "risk_coverage" // of the figure and its table
	return []study.Figure{study.Drawing(name, name, func(t *table.Table) *figures.Figure {
		legend := learner.NewLegend(e.Methods)
		t = e.Chosen.Of(t, learner.Names(e.Methods))
		chart := figures.Chart{
			Title: "confidence: " + t.Texts("confidence")[0],

			X: figures.Axis{Label: "coverage: share decided", Max: 1},
			Y: figures.Axis{Label: "risk: share wrong among these", Log: true},
		}
		for _, method := range t.Distinct("method") {
			rows := t.Where("method", method)
			chart.Curves = append(chart.Curves, figures.Curve{
				Name: legend.Label(method), Group: legend.Group(method), Kind: figures.Line,
				X: rows.Nums("coverage"), Y: rows.Nums("risk"),
			})
		}
		return figures.Charts([][]figures.Chart{{chart}}, "a line ends where no decision is wrong")
	})}
}
