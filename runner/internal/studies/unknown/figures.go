package unknown

import (
	"closedform/figures"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are "risk_coverage": the share of wrong ones among the decisions, against the share of examples
// that are decided about, a chart for each kind of confidence. A risk of 0 has no place on a logarithmic axis.
func (e *experiment) Figures() []study.Figure {
	return []study.Figure{study.Drawing("risk_coverage", "risk_coverage", func(t *table.Table) *figures.Figure {
		legend := learner.NewLegend(e.Methods)
		var risky []int
		for i, risk := range t.Nums("risk") {
			if risk > 0 {
				risky = append(risky, i)
			}
		}
		var charts []figures.Chart
		for _, by := range t.Distinct("confidence") {
			chart := figures.Chart{
				Title: "by " + by, X: figures.Axis{Label: "coverage: share decided", Max: 1},
				Y: figures.Axis{Label: "risk: wrong among these", Log: true},
			}
			for _, method := range t.Where("confidence", by).Distinct("method") {
				of := t.Rows(risky).Where("confidence", by).Where("method", method)
				chart.Curves = append(chart.Curves, figures.Curve{
					Name: legend.Label(method), Group: legend.Group(method), Kind: figures.Line,
					X: of.Nums("coverage"), Y: of.Nums("risk"),
				})
			}
			charts = append(charts, chart)
		}
		return figures.Charts([][]figures.Chart{charts})
	})}
}
