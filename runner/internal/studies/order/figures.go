package order

import (
	"fmt"

	"closedform/figures"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are "spread": how far networks are apart that have seen the same examples
// in different orders, and beside it different examples; and "maps": where the
// order matters.
func (e *experiment) Figures() []study.Figure {
	return []study.Figure{
		{Name: "spread", Needs: []string{"summary"}, Draw: func(t table.Set) (*figures.Figure, error) {
			return e.charts(t.Get("summary")), nil
		}},
		{Name: "maps", Needs: []string{"maps"}, Draw: func(t table.Set) (*figures.Figure, error) {
			return e.maps(t.Get("maps")), nil
		}},
	}
}

func (e *experiment) charts(summary *table.Table) *figures.Figure {
	var rows [][]figures.Chart
	for _, q := range []struct {
		column string
		axis   figures.Axis
	}{
		{"tv", figures.Axis{Label: "total variation", Log: true}},
		{"accuracy_sd", figures.Axis{Label: "sd of the accuracy", Log: true}},
	} {
		var charts []figures.Chart
		for _, by := range []struct{ value, title string }{{byOrder, "same examples, other order"}, {bySample, "other examples"}} {
			chart := figures.Chart{Title: by.title, X: figures.Axis{Label: "training examples", Log: true}, Y: q.axis}
			for _, model := range e.models {
				r := summary.Where("method", model.Name).Where("differ_by", by.value)
				chart.Curves = append(chart.Curves, figures.Curve{
					Name: model.Name, X: r.Nums("size"), Y: r.Nums(q.column),
					Low: r.Nums(q.column + "_low"), High: r.Nums(q.column + "_high"),
				})
			}
			charts = append(charts, chart)
		}
		rows = append(rows, charts)
	}
	return figures.Charts(rows)
}

func (e *experiment) maps(maps *table.Table) *figures.Figure {
	var rows []figures.Row
	for _, q := range []struct {
		column string
		scale  figures.Axis
	}{
		{"p1", figures.Axis{Label: "mean of $p₁$", Max: 1}},
		{"tv", figures.Axis{Label: "total variation", Log: true, Min: 0.001, Max: 1}},
	} {
		row := figures.Row{Scale: q.scale}
		for _, model := range e.models {
			g := gridOf(e.task, e.Order.Grid)
			row.Maps = append(row.Maps, figures.Map{
				Title: fmt.Sprintf("%s, $N$ = %d", model.Name, e.Order.Mapped),
				X:     g.X, Y: g.Y, Z: maps.Where("method", model.Name).Nums(q.column),
			})
		}
		rows = append(rows, row)
	}
	return figures.Maps(rows, figures.Labels{})
}
