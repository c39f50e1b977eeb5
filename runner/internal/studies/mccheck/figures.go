package mccheck

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"closedform/figures"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are "qq", the quantiles of the z-scores.
func (e *experiment) Figures() []study.Figure {
	return []study.Figure{study.Drawing("qq", "zscores", qq)}
}

var titles = map[string]string{
	"activation": "hidden unit", "probit": "probit, equal $ρ$", "probit_corr": "probit, any $Σ₀$", "softmax": "softmax",
}

// qq draws the quantiles of the z-scores against those of the normal distribution, a column for each
// formula: above the first of every cell, which are independent, with the interval that holds 95 % of
// each if they are normal; below all of them, which are correlated.
func qq(zscores *table.Table) *figures.Figure {
	const farthest = 6 // for which there is room; the legend counts those beyond
	limit := 3.0
	for _, z := range zscores.Nums("z") {
		if math.Abs(z) < farthest {
			limit = max(limit, math.Ceil(math.Abs(z)))
		}
	}
	identity := figures.Curve{Name: "normal", Kind: figures.Reference, X: []float64{-limit, limit}, Y: []float64{-limit, limit}}
	rows := make([][]figures.Chart, 2)
	for _, formula := range zscores.Distinct("formula") {
		g := newGroup(zscores.Where("formula", formula))
		add := func(row int, label string, z []float64, curves ...figures.Curve) {
			x, _, _ := quantiles(len(z))
			scores := figures.Curve{Name: "Monte Carlo", Kind: figures.Scatter, X: x, Y: slices.Sorted(slices.Values(z))}
			rows[row] = append(rows[row], figures.Chart{
				Title: titles[formula], X: figures.Axis{Label: "normal quantile", Min: -limit, Max: limit},
				Y: figures.Axis{Label: label, Min: -limit, Max: limit}, Curves: append(curves, scores, identity),
			})
		}
		x, low, high := quantiles(len(g.independent))
		band := figures.Curve{Name: "95 % of each, if normal", Kind: figures.Line, X: x, Y: x, Low: low, High: high}
		add(0, "$z$, one of each input", g.independent, band)
		add(1, "$z$, all", g.z)
	}
	return figures.Charts(rows)
}

// quantiles returns, for the order statistics of n independent normal variables, the
// quantiles at which they are drawn and the intervals that hold 95 % of each.
func quantiles(n int) (x, low, high []float64) {
	for k := range n {
		a, b := float64(k+1), float64(n-k) // Φ of the k-th is beta distributed
		x = append(x, mathext.NormalQuantile((a-0.5)/float64(n)))
		low = append(low, mathext.NormalQuantile(mathext.InvRegIncBeta(a, b, 0.025)))
		high = append(high, mathext.NormalQuantile(mathext.InvRegIncBeta(a, b, 0.975)))
	}
	return x, low, high
}
