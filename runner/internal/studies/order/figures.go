package order

import (
	"fmt"

	"closedform/figures"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are "spread": how far networks are apart that have seen the same examples in different orders,
// and beside it different examples; and "maps": where the order matters.
func (e *experiment) Figures() []study.Figure {
	return []study.Figure{study.Drawing("spread", "summary", e.charts), study.Drawing("maps", "maps", e.maps)}
}

func (e *experiment) charts(summary *table.Table) *figures.Figure {
	var rows [][]figures.Chart
	legend := learner.NewLegend(e.Methods)
	for _, q := range []struct {
		column string
		axis   figures.Axis
	}{
		{"tv", figures.Axis{Label: "total variation", Log: true}},
		{"accuracy_sd", figures.Axis{Label: "sd of the accuracy", Log: true}},
	} {
		var charts []figures.Chart
		for _, by := range []struct{ value, title string }{{byOrder, "same examples, other order"}, {bySample, "other examples"}} {
			chart := figures.Chart{Title: by.title, X: figures.Axis{Label: "training examples, methods beside each other", Log: true}, Y: q.axis}
			for _, model := range e.Models {
				r := summary.Where("method", model.Name).Where("differ_by", by.value)
				c := study.Curve(r, legend.Label(model.Name), "size", q.column)
				c.Group = legend.Group(model.Name)
				chart.Curves = append(chart.Curves, c)
			}
			chart.Curves = figures.Beside(chart.Curves)
			charts = append(charts, chart)
		}
		rows = append(rows, charts)
	}
	return figures.Charts(rows)
}

func (e *experiment) maps(maps *table.Table) *figures.Figure {
	g := e.Data.Task().Region.Grid(e.Order.Grid)
	rows := []figures.Row{
		{Scale: figures.Axis{Label: fmt.Sprintf("mean of $p₁$, $N$ = %d", e.Order.Mapped), Max: 1}},
		{Scale: figures.Axis{Label: "total variation", Log: true, Min: 0.001, Max: 1}},
	}
	for i, column := range []string{"p1", "tv"} {
		for _, model := range e.Models {
			rows[i].Maps = append(rows[i].Maps, figures.Map{
				Title: learner.NewLegend(e.Methods).Label(model.Name),
				X:     g.X, Y: g.Y, Z: maps.Where("method", model.Name).Nums(column),
			})
		}
	}
	return figures.Maps(rows, figures.Labels{})
}
