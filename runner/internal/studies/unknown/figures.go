package unknown

import (
	"math"

	"closedform/core/bnn"
	"closedform/figures"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are "risk_coverage": the share of wrong decisions among all, against the
// share of examples that are decided about, a chart for every kind of confidence.
// Curves begin at the first decision that is wrong: a risk of 0 has no place on a
// logarithmic axis.
func (e *experiment) Figures() []study.Figure {
	return []study.Figure{study.Drawing("risk_coverage", "risk_coverage", riskCoverage)}
}

func riskCoverage(curves *table.Table) *figures.Figure {
	var risky []int // points at which there is a risk
	least := 0.99   // coverage of these
	coverage := curves.Nums("coverage")
	for i, risk := range curves.Nums("risk") {
		if risk > 0 {
			risky, least = append(risky, i), min(least, coverage[i])
		}
	}
	var charts []figures.Chart
	for _, c := range []struct {
		by    bnn.Confidence
		title string
	}{
		{bnn.Probability, "by the largest probability"}, {bnn.EntropyBased, "by the entropy"}, {bnn.Epistemic, "by the epistemic share"},
	} {
		chart := figures.Chart{
			Title: c.title, X: figures.Axis{Label: "coverage: share decided", Min: math.Floor(10*least) / 10, Max: 1},
			Y: figures.Axis{Label: "risk: wrong among these", Log: true},
		}
		for _, method := range curves.Where("confidence", c.by.String()).Distinct("method") {
			of := curves.Rows(risky).Where("confidence", c.by.String()).Where("method", method)
			chart.Curves = append(chart.Curves, figures.Curve{Name: method, Kind: figures.Line, X: of.Nums("coverage"), Y: of.Nums("risk")})
		}
		if len(chart.Curves) > 0 {
			charts = append(charts, chart)
		}
	}
	return figures.Charts([][]figures.Chart{charts})
}
