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

// Figures are pages "maps_METHOD" with a row for the mean of every class but the last, as in the
// paper, then one for every variance; the columns are the snapshots. Each map of the first
// network is also a figure of its own, row by row: fig01 … fig12 of the paper.
func (p *plane) Figures() (all []study.Figure) {
	labels := figures.Labels{Below: "negative variance", Classes: study.Classes(p.task.Classes)}
	add := func(name string, rows func(table.Set) []figures.Row) {
		all = append(all, study.Figure{Name: name, Needs: []string{"maps", "train"}, Draw: func(t table.Set) (*figures.Figure, error) {
			return figures.Maps(rows(t), labels), nil
		}})
	}
	var columns []string
	for _, of := range []string{"p", "var"} {
		for j := 1; j < p.task.Classes; j++ {
			columns = append(columns, fmt.Sprint(of, j))
		}
	}
	for i := range len(columns) * len(p.Evaluate.Snapshots) {
		column, k := columns[i/len(p.Evaluate.Snapshots)], i%len(p.Evaluate.Snapshots)
		add(fmt.Sprintf("fig%02d", i+1), func(t table.Set) []figures.Row {
			row := p.row(column, p.models[0].Name, t)
			return []figures.Row{{Scale: row.Scale, Maps: row.Maps[k : k+1]}}
		})
	}
	for _, model := range p.models {
		add("maps_"+strings.ReplaceAll(model.Name, " ", "_"), func(t table.Set) (rows []figures.Row) {
			for _, column := range columns {
				rows = append(rows, p.row(column, model.Name, t))
			}
			return rows
		})
	}
	return all
}

// row returns the maps of a column, of a network at all snapshots, on one scale, with the
// examples that were learned before each.
func (p *plane) row(column, method string, t table.Set) figures.Row {
	maps, points := t.Get("maps").Where("method", method), study.Points(t.Get("train").Where("seed", p.header.Seed))
	grid := p.task.Region.Grid(p.Evaluate.Grid)
	var boundary []figures.Segment
	for _, s := range p.task.Boundary {
		boundary = append(boundary, figures.Segment(s))
	}
	j, variance := strings.CutPrefix(column, "var")
	row := figures.Row{Scale: figures.Axis{Label: fmt.Sprintf("$σ^2(y_{%s})$, probability$^2$", j)}}
	if !variance {
		row.Scale.Label = fmt.Sprintf("$μ(y_{%s})$, probability", column[1:])
	}
	for _, k := range p.Evaluate.Snapshots {
		m := figures.Map{
			Title: "$k$ = " + strconv.Itoa(k), X: grid.X, Y: grid.Y, Z: maps.Where("k", k).Nums(column), Boundary: boundary, Points: points[:k],
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
	if !variance || row.Scale.Max == 0 {
		row.Scale.Max = 1
	}
	return row
}
