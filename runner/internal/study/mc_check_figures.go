package study

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"

	figures "closedform/runner/internal/oldfigures"
)

// mcQQLimit is the largest |z| for which a Q–Q plot makes room; the legend counts
// those beyond.
const mcQQLimit = 6

// mcQQ draws the quantiles of the z-scores against those of the normal
// distribution, a column for each formula: above the first of every cell, which
// are independent, with the interval that holds 95 % of each if they are normal;
// below all of them, which are correlated.
func mcQQ(zscores frame) *figures.Figure {
	limit := 3.0
	for _, z := range zscores.floats("z") {
		if math.Abs(z) < mcQQLimit {
			limit = max(limit, math.Ceil(math.Abs(z)))
		}
	}
	identity := figures.Curve{
		Name: "normal", Style: figures.Reference, X: []float64{-limit, limit}, Y: []float64{-limit, limit},
	}
	var independent, all []figures.Chart
	for _, formula := range zscores.values("formula") {
		g := newMCGroup(formula, "", zscores.where("formula", formula))
		chart := func(label string, curves ...figures.Curve) figures.Chart {
			return figures.Chart{
				Title:  mcTitles[formula],
				X:      figures.Axis{Label: "normal quantile", Min: -limit, Max: limit},
				Y:      figures.Axis{Label: label, Min: -limit, Max: limit},
				Curves: append(curves, identity),
			}
		}
		x, low, high := mcQuantiles(len(g.independent))
		independent = append(independent, chart("$z$, one of each input",
			figures.Curve{Name: "$z$-scores", Style: figures.Scatter, X: x, Y: slices.Sorted(slices.Values(g.independent))},
			figures.Curve{Name: "95 % of each, if normal", Style: figures.Line, X: x, Y: x, Low: low, High: high}))
		x, _, _ = mcQuantiles(len(g.z))
		all = append(all, chart("$z$, all",
			figures.Curve{Name: "$z$-scores", Style: figures.Scatter, X: x, Y: slices.Sorted(slices.Values(g.z))}))
	}
	return figures.Charts([][]figures.Chart{independent, all})
}

var mcTitles = map[string]string{
	"activation": "hidden unit", "probit": "probit, equal $ρ$", "probit_corr": "probit, any $Σ₀$", "softmax": "softmax",
}

// mcQuantiles returns, for the order statistics of n independent normal
// variables, the quantiles at which they are drawn and the intervals that hold
// 95 % of each.
func mcQuantiles(n int) (x, low, high []float64) {
	for k := range n {
		// Φ of the k-th is beta distributed.
		a, b := float64(k+1), float64(n-k)
		x = append(x, mathext.NormalQuantile((a-0.5)/float64(n)))
		low = append(low, mathext.NormalQuantile(mathext.InvRegIncBeta(a, b, 0.025)))
		high = append(high, mathext.NormalQuantile(mathext.InvRegIncBeta(a, b, 0.975)))
	}
	return x, low, high
}

// mcGapFigure draws how far the paper's Σ_y and Σ_zy are from what they
// approximate, against the variance of the logits: a column for each number of
// classes. A gap that is no larger than the standard error of Monte Carlo may be
// none; that to the probit function has the larger error.
func mcGapFigure(matrices frame) *figures.Figure {
	var rows [][]figures.Chart
	for _, matrix := range []struct{ name, label string }{{"sigma_y", "$Σ_y$"}, {"sigma_zy", "$Σ_{zy}$"}} {
		var row []figures.Chart
		for _, n := range matrices.values("classes") {
			some := matrices.where("matrix", matrix.name).where("classes", n)
			chart := figures.Chart{
				Title: "$n$ = " + n,
				X:     figures.Axis{Label: "mean variance of a logit", Log: true},
				Y:     figures.Axis{Label: "relative gap of " + matrix.label, Log: true},
			}
			for _, of := range []struct{ name, label string }{{"softmax", "to the softmax"}, {"probit", "to the probit function"}} {
				one := some.where("of", of.name)
				chart.Curves = append(chart.Curves, figures.Curve{
					Name: of.label, Style: figures.Scatter, X: one.floats("mean_variance"), Y: one.floats("relative_gap"),
				})
			}
			noisiest := some.where("of", "probit")
			chart.Curves = append(chart.Curves, figures.Curve{
				Name: "standard error of the latter", Style: figures.Scatter, X: noisiest.floats("mean_variance"), Y: noisiest.floats("relative_se"),
			})
			row = append(row, chart)
		}
		rows = append(rows, row)
	}
	return figures.Charts(rows)
}
