package openset

import (
	"cmp"
	"math"
	"slices"

	"closedform/figures"
	"closedform/runner/internal/confidence"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures is "auroc": that of each method by each score, best method first by the score that
// stands for the project, or else by its best.
func (e *experiment) Figures() []study.Figure {
	return []study.Figure{study.Drawing("auroc", "summary", e.drawn)}
}

func (e *experiment) drawn(summary *table.Table) *figures.Figure {
	legend, least := learner.NewLegend(e.Methods), 1.0
	plot := figures.DotPlot{
		Columns: 4, X: figures.Axis{Label: "area under the ROC curve", Max: 1}, Mark: math.NaN(), Key: "mean over the splits with its 95 % interval",
	}
	at := func(method string, s confidence.Score) *table.Table {
		return summary.Where("method", method).Where("score", string(s))
	}
	names := summary.Distinct("method")
	best := func(method string) float64 {
		if rows := at(method, e.OpenSet.Score); rows.Len() > 0 {
			return rows.Nums("auroc")[0]
		}
		return slices.Max(summary.Where("method", method).Nums("auroc"))
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(best(b), best(a)) })
	for _, name := range names {
		plot.Names, plot.Groups = append(plot.Names, legend.Label(name)), append(plot.Groups, legend.Group(name))
	}
	for _, s := range scores {
		panel := figures.DotPanel{Title: string(s)}
		for _, name := range names {
			dot := figures.Dot{Value: math.NaN(), Low: math.NaN(), High: math.NaN()}
			if rows := at(name, s); rows.Len() > 0 {
				dot = figures.Dot{Value: rows.Nums("auroc")[0], Low: rows.Nums("auroc_low")[0], High: rows.Nums("auroc_high")[0]}
				least = min(least, dot.Value)
			}
			panel.Dots = append(panel.Dots, dot)
		}
		if len(summary.Where("score", string(s)).Texts("score")) > 0 {
			plot.Panels = append(plot.Panels, panel)
		}
	}
	plot.X.Min = math.Floor(20*least-0.5) / 20
	return figures.Dots(plot)
}
