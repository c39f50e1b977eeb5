package mccheck

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mathext"

	"closedform/figures"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are "qq", the quantiles of the z-scores.
func (e *experiment) Figures() []study.Figure {
	return []study.Figure{study.Drawing("qq", "zscores", qq)}
}

// qq draws the quantiles of the z-scores against those of the normal distribution, a chart for each
// formula: the first of every cell, which are independent.
func qq(zscores *table.Table) *figures.Figure {
	limit := 4.
	for _, formula := range zscores.Distinct("formula") {
		for _, z := range newGroup(zscores.Where("formula", formula)).independent {
			limit = max(limit, math.Ceil(math.Abs(z)))
		}
	}
	identity := figures.Curve{Name: "normal", Kind: figures.Reference, X: []float64{-limit, limit}, Y: []float64{-limit, limit}}
	var row []figures.Chart
	for _, formula := range zscores.Distinct("formula") {
		z := slices.Sorted(slices.Values(newGroup(zscores.Where("formula", formula)).independent))
		x := make([]float64, len(z))
		for k := range x {
			x[k] = mathext.NormalQuantile((float64(k) + 0.5) / float64(len(z)))
		}
		row = append(row, figures.Chart{
			Title: strings.ReplaceAll(formula, "_", " "), Curves: []figures.Curve{{Name: "Monte Carlo", Kind: figures.Scatter, X: x, Y: z}, identity},
			X: figures.Axis{Label: "normal quantile", Min: -limit, Max: limit},
			Y: figures.Axis{Label: "$z$, one of each input", Min: -limit, Max: limit},
		})
	}
	return figures.Charts([][]figures.Chart{row})
}
