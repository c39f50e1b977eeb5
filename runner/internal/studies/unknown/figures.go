package unknown

import (
	"math"

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
				Title: "by " + by, X: figures.Axis{Label: "coverage: share decided", Max: 1}, Y: figures.Axis{Label: "risk: wrong among these", Log: true},
			}
			for _, method := range t.Where("confidence", by).Distinct("method") {
				of := t.Rows(risky).Where("confidence", by).Where("method", method)
				chart.Curves = append(chart.Curves, figures.Curve{
					Name: legend.Label(method), Group: legend.Group(method), Kind: figures.Line, X: of.Nums("coverage"), Y: of.Nums("risk"),
				})
			}
			charts = append(charts, chart)
		}
		return figures.Charts([][]figures.Chart{charts})
	})}
}

// Figures is "auroc": that of each method by each score.
func (e *openSet) Figures() []study.Figure {
	return []study.Figure{study.Drawing("auroc", "summary", func(summary *table.Table) *figures.Figure {
		legend, least := learner.NewLegend(e.Methods), 1.0
		plot := figures.DotPlot{Columns: 4, Mark: math.NaN(), Key: "mean over the splits with its 95 % interval"}
		names := summary.Distinct("method")
		for _, name := range names {
			plot.Names, plot.Groups = append(plot.Names, legend.Label(name)), append(plot.Groups, legend.Group(name))
		}
		for _, score := range summary.Distinct("score") {
			panel := figures.DotPanel{Title: score}
			for _, name := range names {
				dot := figures.Dot{Value: math.NaN(), Low: math.NaN(), High: math.NaN()}
				if rows := summary.Where("method", name).Where("score", score); rows.Len() > 0 {
					dot = figures.Dot{Value: rows.Nums("auroc")[0], Low: rows.Nums("auroc_low")[0], High: rows.Nums("auroc_high")[0]}
					least = min(least, dot.Value)
				}
				panel.Dots = append(panel.Dots, dot)
			}
			plot.Panels = append(plot.Panels, panel)
		}
		plot.X = figures.Axis{Label: "area under the ROC curve", Min: math.Floor(20*least-0.5) / 20, Max: 1}
		return figures.Dots(plot)
	})}
}
