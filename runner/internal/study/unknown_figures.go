package study

import (
	"closedform/core/bnn"
	"closedform/figures"
	"closedform/runner/internal/store"
)

// figures draws, from the tables alone, "risk_coverage": the share of wrong answers
// among those that are given, against the share of examples that are answered, a
// chart for every kind of confidence.
func (u *unknown) figures(tables []store.Table) []Figure {
	curves := find(tables, "risk_coverage")
	titles := map[bnn.Confidence]string{
		bnn.Probability:   "by the largest probability",
		bnn.Concentration: "by the entropy",
		bnn.Settledness:   "by the epistemic share",
	}
	var charts []figures.Chart
	for _, by := range confidences {
		chart := figures.Chart{
			Title: titles[by], X: figures.Axis{Label: "coverage: share answered", Max: 1},
			Y: figures.Axis{Label: "risk: wrong among these", Log: true},
		}
		rows := curves.where("confidence", by.String())
		for _, method := range u.Methods {
			if r := rows.where("method", method.Name); len(r.Rows) > 0 {
				chart.Curves = append(chart.Curves, figures.Curve{Name: method.Name, Style: figures.Line, X: r.floats("coverage"), Y: r.floats("risk")})
			}
		}
		if len(chart.Curves) > 0 {
			charts = append(charts, chart)
		}
	}
	return []Figure{{"risk_coverage", figures.Charts([][]figures.Chart{charts})}}
}
