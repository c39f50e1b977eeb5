package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"closedform/figures"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are "differences": the paired differences of the log loss from that of
// the reference, for every set and over all sets, infinite ones beyond the end of
// the axis, best method first.
func (e *experiment) Figures() []study.Figure {
	if len(e.Methods) < 2 {
		return nil
	}
	return []study.Figure{study.Drawing("differences", "paired", e.differences)}
}

func (e *experiment) differences(paired *table.Table) *figures.Figure {
	whole, sets, legend := paired.Where("set", allSets), len(paired.Distinct("set"))-1, learner.NewLegend(e.Methods)
	plot := figures.DotPlot{
		Columns: min(5, sets+1),
		X:       figures.Axis{Label: fmt.Sprintf("log loss less that of %s, nats: negative is better", legend.Label(e.Compare.Reference))},
		Key:     "mean over the splits (all: over the sets) with its 95 % interval:", Apart: "that excludes 0", Held: "that includes 0, or none",
	}
	order := make([]int, whole.Len())
	for i := range order {
		order[i] = i
	}
	names, over := whole.Texts("method"), whole.Nums("log_loss")
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(over[i], over[j]) })
	for _, i := range order {
		plot.Names, plot.Groups = append(plot.Names, legend.Label(names[i])), append(plot.Groups, legend.Group(names[i]))
	}
	var values []float64
	for _, set := range paired.Distinct("set") {
		if set == allSets && sets == 1 {
			continue
		}
		rows := paired.Where("set", set)
		mean, low, high := rows.Nums("log_loss"), rows.Nums("log_loss_low"), rows.Nums("log_loss_high")
		panel := figures.DotPanel{Title: set}
		for _, i := range order {
			if m := mean[i]; !math.IsInf(m, 0) && !math.IsNaN(m) {
				values = append(values, m)
			}
			panel.Dots = append(panel.Dots, figures.Dot{Value: mean[i], Low: low[i], High: high[i]})
		}
		plot.Panels = append(plot.Panels, panel)
	}
	plot.X.Min, plot.X.Max = ends(values)
	return figures.Dots(plot)
}

// ends returns the ends of an axis for differences: it holds 0 and the middle nine
// tenths of the values, and a bit more.
func ends(values []float64) (low, high float64) {
	if len(values) > 0 {
		slices.Sort(values)
		low = min(0, stat.Quantile(0.05, stat.Empirical, values, nil))
		high = max(0, stat.Quantile(0.9, stat.Empirical, values, nil))
	}
	if low == high {
		return -1, 1
	}
	margin := 0.1 * (high - low)
	return low - margin, high + margin
}
