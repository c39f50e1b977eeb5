package study

import (
	"fmt"

	figures "closedform/runner/internal/oldfigures"
	"closedform/runner/internal/store"
)

// figures draws, from the tables alone, "spread": how far networks are apart that
// have seen the same examples in different orders, and beside it different
// examples; and "maps": where the order matters.
func (o *order) figures(tables []store.Table) []Figure {
	return []Figure{
		{"spread", o.charts(find(tables, "summary"))},
		{"maps", o.maps(find(tables, "maps"))},
	}
}

func (o *order) charts(summary frame) *figures.Figure {
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
			for _, model := range o.Models() {
				r := summary.where("variant", model.Name).where("differ_by", by.value)
				chart.Curves = append(chart.Curves, figures.Curve{
					Name: model.Name, X: r.floats("size"), Y: r.floats(q.column),
					Low: r.floats(q.column + "_low"), High: r.floats(q.column + "_high"),
				})
			}
			charts = append(charts, chart)
		}
		rows = append(rows, charts)
	}
	return figures.Charts(rows)
}

func (o *order) maps(maps frame) *figures.Figure {
	region := o.Data.Task().Region()
	var rows []figures.Row
	for _, q := range []struct {
		column string
		scale  figures.Scale
	}{
		{"p1", figures.Scale{Label: "mean of $p₁$", Max: 1}},
		{"tv", figures.Scale{Label: "total variation", Log: true, Min: 0.001, Max: 1}},
	} {
		row := figures.Row{Scale: q.scale}
		for _, model := range o.Models() {
			m := figures.Map{
				Title: fmt.Sprintf("%s, $N$ = %d", model.Name, o.Mapped),
				X:     region.Axis(0, o.Grid), Y: region.Axis(1, o.Grid),
				Z: maps.where("variant", model.Name).floats(q.column),
			}
			snap(m.Z, q.scale)
			row.Maps = append(row.Maps, m)
		}
		rows = append(rows, row)
	}
	return figures.Page(rows, figures.Labels{})
}
