package study

import (
	"math"

	"closedform/core/bnn"
	figures "closedform/runner/internal/oldfigures"
	"closedform/runner/internal/store"
)

// figures draws, from the tables alone, "risk_coverage": the share of wrong answers
// among those that are given, against the share of examples that are answered, a
// chart for every kind of confidence. Curves begin at the first answer that is wrong:
// a risk of 0 has no place on a logarithmic axis.
func (u *unknown) figures(tables []store.Table) []Figure {
	curves := find(tables, "risk_coverage")
	titles := map[bnn.Confidence]string{
		bnn.Probability:   "by the largest probability",
		bnn.Concentration: "by the entropy",
		bnn.Settledness:   "by the epistemic share",
	}
	least := 1.0 // coverage at which there is a risk
	coverage := curves.floats("coverage")
	for i, risk := range curves.floats("risk") {
		if risk > 0 {
			least = min(least, coverage[i])
		}
	}
	var charts []figures.Chart
	for _, by := range confidences {
		chart := figures.Chart{
			Title: titles[by], X: figures.Axis{Label: "coverage: share answered", Min: math.Floor(10*min(least, 0.99)) / 10, Max: 1},
			Y: figures.Axis{Label: "risk: wrong among these", Log: true},
		}
		rows := curves.where("confidence", by.String())
		for _, method := range u.Methods {
			if r := rows.where("method", method.Name); len(r.Rows) > 0 {
				curve := figures.Curve{Name: method.Name, Style: figures.Line}
				coverage := r.floats("coverage")
				for i, risk := range r.floats("risk") {
					if risk > 0 {
						curve.X, curve.Y = append(curve.X, coverage[i]), append(curve.Y, risk)
					}
				}
				chart.Curves = append(chart.Curves, curve)
			}
		}
		if len(chart.Curves) > 0 {
			charts = append(charts, chart)
		}
	}
	return []Figure{{"risk_coverage", figures.Charts([][]figures.Chart{charts})}}
}
