package sorted

import (
	"math"
	"slices"

	"closedform/figures"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are "course": the accuracy on the classes so far after each, a chart for each set; and
// "orders": the error on the sorted stream beside that on the shuffled one.
func (e *experiment) Figures() []study.Figure {
	return []study.Figure{study.Drawing("course", "course_summary", e.course), study.Drawing("orders", "summary", e.orders)}
}

func (e *experiment) course(means *table.Table) *figures.Figure {
	var charts []figures.Chart
	for _, set := range means.Distinct("set") {
		charts = append(charts, figures.Chart{
			Title: set, X: figures.Axis{Label: "classes learned"}, Y: figures.Axis{Label: "accuracy on these classes", Max: 1},
			Curves: study.Lines(means.Where("set", set), learner.NewLegend(e.Methods), "classes", "accuracy"),
		})
	}
	return figures.Charts(slices.Collect(slices.Chunk(charts, 2)))
}

// orders has a row for each label: methods of one label learn different sets.
func (e *experiment) orders(summary *table.Table) *figures.Figure {
	plot := figures.DotPlot{
		Columns: 2, X: figures.Axis{Label: "test error", Max: 1}, Mark: math.NaN(), Key: "mean over the seeds with its 95 % interval",
	}
	legend, row := learner.NewLegend(e.Methods), map[string]int{}
	for _, m := range e.Methods {
		label := legend.Label(m.Name)
		if _, ok := row[label]; !ok {
			row[label] = len(plot.Names)
			plot.Names, plot.Groups = append(plot.Names, label), append(plot.Groups, legend.Group(m.Name))
		}
	}
	for _, of := range summary.GroupBy("set", "order").All() {
		panel := figures.DotPanel{Title: of.Texts("set")[0] + ", " + of.Texts("order")[0], Dots: slices.Repeat([]figures.Dot{{Value: math.NaN()}}, len(row))}
		for i, name := range of.Texts("method") {
			panel.Dots[row[legend.Label(name)]] = figures.Dot{Value: of.Nums("error")[i], Low: of.Nums("error_low")[i], High: of.Nums("error_high")[i]}
		}
		plot.Panels = append(plot.Panels, panel)
	}
	return figures.Dots(plot)
}
