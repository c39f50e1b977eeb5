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
// the axis, best method first; and "ranks": the mean ranks by log loss, with half the critical
// difference of Nemenyi's test on each side.
func (e *experiment) Figures() []study.Figure {
	if len(e.Methods) < 2 {
		return nil
	}
	all := []study.Figure{study.Drawing("differences", "paired", e.differences)}
	if len(e.Sets) > 1 { // of one set all ranks are within the critical difference
		all = append(all, study.Drawing("ranks", "ranks", e.ranking))
	}
	return all
}

func (e *experiment) differences(paired *table.Table) *figures.Figure {
	whole, sets := paired.Where("set", allSets), len(paired.Distinct("set"))-1 // but all of them
	names, over := whole.Texts("method"), whole.Nums("log_loss")
	plot := figures.DotPlot{
		Columns: min(5, sets+1),
		X:       figures.Axis{Label: fmt.Sprintf("log loss less that of %s, nats: negative is better", learner.NewLegend(e.Methods).Label(e.Compare.Reference))},
		Key:     "mean over the splits (all: over the sets) with its 95 % interval:", Apart: "that excludes 0", Held: "that includes 0, or none",
	}
	order := e.order(&plot, names, over)
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

// order gives the plot a row for each name, by ascending numbers, and returns their order.
func (e *experiment) order(plot *figures.DotPlot, names []string, by []float64) []int {
	legend, order := learner.NewLegend(e.Methods), make([]int, len(names))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(by[i], by[j]) })
	for _, i := range order {
		plot.Names, plot.Groups = append(plot.Names, legend.Label(names[i])), append(plot.Groups, legend.Group(names[i]))
	}
	return order
}

func (e *experiment) ranking(t *table.Table) *figures.Figure {
	mean, half := t.Nums("log_loss"), t.Nums("critical_difference")[0]/2
	plot := figures.DotPlot{
		Columns: 1, X: figures.Axis{Label: "mean rank by log loss", Min: 0.5, Max: float64(len(mean)) + 0.5}, Mark: math.NaN(),
		Key: "with half the critical difference on each side",
	}
	var dots []figures.Dot
	for _, i := range e.order(&plot, t.Texts("method"), mean) {
		dots = append(dots, figures.Dot{Value: mean[i], Low: mean[i] - half, High: mean[i] + half})
	}
	plot.Panels = []figures.DotPanel{{Dots: dots}}
	return figures.Dots(plot)
}
