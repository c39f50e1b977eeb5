package learn

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"closedform/figures"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are pages "maps_METHOD" with a row for the mean of every class but the
// last, as in the paper, then one for every variance; the columns are the snapshots.
// With single = true each map is also a figure of its own, row by row: fig01 … fig12
// of the paper.
func (p *plane) Figures() []study.Figure {
	labels := figures.Labels{Below: "negative variance", Classes: study.Classes(p.task.Classes)}
	var out, single []study.Figure
	add := func(to *[]study.Figure, name string, rows func(table.Set) []figures.Row) {
		*to = append(*to, study.Figure{Name: name, Needs: []string{"maps", "train"}, Draw: func(t table.Set) (*figures.Figure, error) {
			return figures.Maps(rows(t), labels), nil
		}})
	}
	all := quantities(p.task.Classes)
	for _, page := range p.Pages {
		for _, model := range p.Models {
			if model.Of != page.Method {
				continue
			}
			add(&out, "maps_"+strings.ReplaceAll(model.Name, " ", "_"), func(t table.Set) (rows []figures.Row) {
				for _, q := range all {
					rows = append(rows, p.row(q, model.Name, t))
				}
				return rows
			})
			for i := 0; page.Single && i < len(all)*len(p.Evaluate.Snapshots); i++ {
				q, k := all[i/len(p.Evaluate.Snapshots)], i%len(p.Evaluate.Snapshots)
				add(&single, fmt.Sprintf("fig%02d", len(single)+1), func(t table.Set) []figures.Row {
					row := p.row(q, model.Name, t)
					return []figures.Row{{Scale: row.Scale, Maps: row.Maps[k : k+1]}}
				})
			}
		}
	}
	return append(single, out...)
}

// quantity is a row of maps: a column of the table and its label.
type quantity struct{ column, label string }

// quantities returns the mean of every class but the last, and then every variance.
func quantities(classes int) []quantity {
	var means, variances []quantity
	for j := 1; j < classes; j++ {
		means = append(means, quantity{fmt.Sprintf("p%d", j), fmt.Sprintf("$μ(y_{%d})$, probability", j)})
		variances = append(variances, quantity{fmt.Sprintf("var%d", j), fmt.Sprintf("$σ²(y_{%d})$, probability²", j)})
	}
	return append(means, variances...)
}

// row returns the maps of a quantity of a network at all snapshots, on one scale, with the
// examples that were learned before each.
func (p *plane) row(q quantity, method string, t table.Set) figures.Row {
	maps, points := t.Get("maps").Where("method", method), study.Points(t.Get("train").Where("seed", p.header.Seed))
	grid := p.task.Region.Grid(p.Evaluate.Grid)
	var boundary []figures.Segment
	for _, s := range p.task.Boundary {
		boundary = append(boundary, figures.Segment(s))
	}
	row := figures.Row{Scale: figures.Axis{Label: q.label}}
	for _, k := range p.Evaluate.Snapshots {
		m := figures.Map{
			Title: "$k$ = " + strconv.Itoa(k), X: grid.X, Y: grid.Y, Z: maps.Where("k", k).Nums(q.column), Boundary: boundary, Points: points[:k],
		}
		for i, z := range m.Z {
			if z < 0 && !negative(z) {
				m.Z[i] = 0
			}
			if !math.IsInf(z, 0) {
				row.Scale.Max = math.Max(row.Scale.Max, z)
			}
		}
		row.Maps = append(row.Maps, m)
	}
	if strings.HasPrefix(q.column, "p") || row.Scale.Max == 0 {
		row.Scale.Max = 1
	}
	return row
}
