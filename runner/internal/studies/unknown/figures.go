package unknown

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"closedform/core/bnn"
	"closedform/figures"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are "risk_coverage": the share of wrong decisions among all, against the
// share of examples that are decided about, a chart for every kind of confidence.
// Curves begin at the first decision that is wrong: a risk of 0 has no place on a
// logarithmic axis. Bands are 95 % intervals of each risk.
func (e *experiment) Figures() []study.Figure {
	return []study.Figure{study.Drawing("risk_coverage", "risk_coverage", riskCoverage)}
}

func riskCoverage(curves *table.Table) *figures.Figure {
	var risky []int                                                // points at which there is a risk
	least := 0.99                                                  // coverage of these
	y := figures.Axis{Label: "risk: wrong among these", Log: true} // without its intervals
	coverage := curves.Nums("coverage")
	examples := 1 / slices.Min(coverage) // the least is that of one decision
	for i, risk := range curves.Nums("risk") {
		if risk > 0 {
			risky, least = append(risky, i), min(least, coverage[i])
			y.Min, y.Max = min(cmp.Or(y.Min, risk), risk/2), max(y.Max, 2*risk)
		}
	}
	var charts []figures.Chart
	for _, c := range []struct {
		by    bnn.Confidence
		title string
	}{
		{bnn.Probability, "by the largest probability"},
		{bnn.EntropyBased, "by the entropy"},
		{bnn.Epistemic, "by the epistemic share"},
		{bnn.MutualInformation, "by the mutual information"},
	} {
		chart := figures.Chart{
			Title: c.title, Y: y,
			X: figures.Axis{Label: "coverage: share decided", Min: math.Floor(10*least) / 10, Max: 1},
		}
		for _, method := range curves.Where("confidence", c.by.String()).Distinct("method") {
			of := curves.Rows(risky).Where("confidence", c.by.String()).Where("method", method)
			curve := figures.Curve{Name: method, Kind: figures.Line, X: of.Nums("coverage"), Y: of.Nums("risk")}
			for i, risk := range curve.Y {
				low, high := interval(risk, curve.X[i]*examples)
				curve.Low, curve.High = append(curve.Low, low), append(curve.High, high)
			}
			chart.Curves = append(chart.Curves, curve)
		}
		if len(chart.Curves) > 0 {
			charts = append(charts, chart)
		}
	}
	return figures.Charts([][]figures.Chart{charts})
}

// interval returns that of C. Clopper and E. Pearson (1934) for a share, more than 0, of n.
func interval(share, n float64) (low, high float64) {
	k := math.Round(share * n)
	low, high = mathext.InvRegIncBeta(k, n-k+1, 0.025), 1.
	if k < n {
		high = mathext.InvRegIncBeta(k+1, n-k, 0.975)
	}
	return low, high
}
