package unknown

import (
	"math"

	"closedform/figures"
	"closedform/runner/internal/plots"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures has the chart risk_coverage: the share of wrong answers, against the share of examples
// answered, as the threshold on the first score moves. A line ends where no answer is wrong.
func (e *experiment) Figures() []study.Figure {
	const name = "risk_coverage" // name of the figure and of its table
	f := plots.Drawing(name, name, func(t *table.Table) *figures.Figure {
		lowest := 0.99 // share answered with a wrong answer
		coverage := t.Nums("coverage")
		for i, risk := range t.Nums("risk") {
			if risk > 0 {
				lowest = min(lowest, coverage[i])
			}
		}
		confidence := t.Texts("confidence")[0]
		chart := figures.Chart{
			X:      figures.Axis{Label: "share answered, ranked by " + confidence, Min: math.Floor(10*lowest) / 10, Max: 1},
			Y:      figures.Axis{Label: "risk: share wrong among these", Log: true},
			Curves: plots.NewLegend(e.Methods).Curves(t, e.Chosen.Among(t.Distinct("method")), "coverage", "risk"),
		}
		for i := range chart.Curves {
			chart.Curves[i].Kind = figures.Line
		}
		return figures.Charts([][]figures.Chart{{chart}})
	})
	f.Caption = "The share of wrong answers among the examples that are answered, as the threshold on the confidence " +
		"falls and more are answered. Lower is better; a line begins at its first wrong answer."
	return []study.Figure{f}
}
