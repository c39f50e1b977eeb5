package unknown

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"closedform/figures"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are "risk_coverage": the share of wrong decisions among all, against the share of examples
// that are decided about, a chart for each kind of confidence. Curves begin at the first decision that
// is wrong: a risk of 0 has no place on a logarithmic axis. Bands are 95 % intervals of each risk.
func (e *experiment) Figures() []study.Figure {
	all := []study.Figure{study.Drawing("risk_coverage", "risk_coverage", e.riskCoverage)}
	if len(e.Near) > 0 {
		all = append(all, study.Drawing("near", "near_summary", e.nearFigure))
	}
	return all
}

// nearFigure is "near": what becomes of test images by the degree to which they are changed,
// a column of charts for each way.
func (e *experiment) nearFigure(near *table.Table) *figures.Figure {
	legend := learner.NewLegend(e.Methods)
	rows := make([][]figures.Chart, 3)
	for _, kind := range near.Distinct("data") {
		of := near.Where("data", kind)
		if len(of.Distinct("degree")) < 2 {
			continue
		}
		for k, y := range []struct{ column, label string }{
			{"error", "wrong if all are decided"}, {"wrong", "decided wrong"}, {"unknown", "left undecided"},
		} {
			chart := figures.Chart{Title: kind, X: figures.Axis{Label: "degree"}, Y: figures.Axis{Label: y.label, Log: true}}
			for _, method := range of.Distinct("method") {
				m := of.Where("method", method)
				chart.Curves = append(chart.Curves, figures.Curve{Name: legend.Label(method), Group: legend.Group(method), X: m.Nums("degree"), Y: m.Nums(y.column)})
			}
			rows[k] = append(rows[k], chart)
		}
	}
	return figures.Charts(rows)
}

func (e *experiment) riskCoverage(curves *table.Table) *figures.Figure {
	legend := learner.NewLegend(e.Methods)
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
	for _, by := range curves.Distinct("confidence") {
		chart := figures.Chart{
			Title: "by " + by, Y: y,
			X: figures.Axis{Label: "coverage: share decided", Min: math.Floor(10*least) / 10, Max: 1},
		}
		for _, method := range curves.Where("confidence", by).Distinct("method") {
			of := curves.Rows(risky).Where("confidence", by).Where("method", method)
			curve := figures.Curve{Name: legend.Label(method), Group: legend.Group(method), Kind: figures.Line, X: of.Nums("coverage"), Y: of.Nums("risk")}
			for i, risk := range curve.Y {
				low, high := interval(risk, curve.X[i]*examples)
				curve.Low, curve.High = append(curve.Low, low), append(curve.High, high)
			}
			chart.Curves = append(chart.Curves, curve)
		}
		charts = append(charts, chart)
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
