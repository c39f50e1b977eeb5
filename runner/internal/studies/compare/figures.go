package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"closedform/figures"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are "differences": the paired differences of the log loss from that of
// the reference, for every set and over all sets, infinite ones beyond the end of
// the axis; and "ranks": the mean ranks by log loss, best first, with intervals of
// half the critical difference on each side, so that two methods whose intervals
// have nothing in common differ by Nemenyi's test.
func (e *experiment) Figures() []study.Figure {
	if len(e.Methods) < 2 {
		return nil
	}
	return []study.Figure{study.Drawing("differences", "paired", e.differences), study.Drawing("ranks", "ranks", rankPlot)}
}

func (e *experiment) differences(paired *table.Table) *figures.Figure {
	plot := figures.DotPlot{
		Names: e.others(), Columns: min(5, len(e.Sets)+1),
		X:   figures.Axis{Label: "log loss less that of " + e.Compare.Reference + ", nats"},
		Key: "mean over the splits (all: over the sets), 95 % interval", Apart: "without 0", Held: "with 0, or none",
	}
	var values []float64
	for _, set := range paired.Distinct("set") {
		rows := paired.Where("set", set)
		mean, low, high := rows.Nums("log_loss"), rows.Nums("log_loss_low"), rows.Nums("log_loss_high")
		panel := figures.DotPanel{Title: set}
		for i, m := range mean {
			if !math.IsInf(m, 0) && !math.IsNaN(m) {
				values = append(values, m)
			}
			panel.Dots = append(panel.Dots, figures.Dot{Value: m, Low: low[i], High: high[i]})
		}
		plot.Panels = append(plot.Panels, panel)
	}
	plot.X.Min, plot.X.Max = ends(values)
	return figures.Dots(plot)
}

// ends returns the ends of an axis for differences: it holds 0 and the middle nine
// tenths of the values, and a bit more.
func ends(values []float64) (low, high float64) {
	if len(values) == 0 {
		return -1, 1
	}
	slices.Sort(values)
	low = min(0, stat.Quantile(0.05, stat.Empirical, values, nil))
	high = max(0, stat.Quantile(0.9, stat.Empirical, values, nil))
	if low == high {
		return -1, 1
	}
	margin := 0.1 * (high - low)
	return low - margin, high + margin
}

func rankPlot(ranks *table.Table) *figures.Figure {
	names, rank := ranks.Texts("method"), ranks.Nums("log_loss")
	critical := ranks.Nums("critical_difference")[0]
	order := make([]int, len(names))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(rank[i], rank[j]) })
	plot := figures.DotPlot{
		Columns: 1, Panels: make([]figures.DotPanel, 1), Mark: math.NaN(),
		X:   figures.Axis{Label: "mean rank by log loss", Min: 0.5, Max: float64(len(names)) + 0.5},
		Key: fmt.Sprintf("± half the critical difference, %.1f / 2", critical),
	}
	for _, i := range order {
		plot.Names = append(plot.Names, names[i])
		plot.Panels[0].Dots = append(plot.Panels[0].Dots, figures.Dot{Value: rank[i], Low: rank[i] - critical/2, High: rank[i] + critical/2})
	}
	return figures.Dots(plot)
}
