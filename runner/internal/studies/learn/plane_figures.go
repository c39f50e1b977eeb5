package learn

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"closedform/figures"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are pages "maps_METHOD" with a row for the mean of every class but the
// last, as in the paper, then one for every variance; the columns are the snapshots.
// With single = true each map is also a figure of its own, row by row: fig01 … fig12
// of the paper. Behind them is the figure of a sweep, if there is one.
func (p *plane) Figures() []study.Figure {
	labels := figures.Labels{Below: "negative variance"}
	for j := 1; j <= p.task.Classes; j++ {
		labels.Classes = append(labels.Classes, fmt.Sprintf("class %d", j))
	}
	all := quantities(p.task.Classes)
	var out, single []study.Figure
	add := func(to *[]study.Figure, name string, rows func(table.Set) []figures.Row) {
		*to = append(*to, study.Figure{Name: name, Needs: []string{"maps", "train"}, Draw: func(t table.Set) (*figures.Figure, error) {
			return figures.Maps(rows(t), labels), nil
		}})
	}
	for _, page := range p.Pages {
		for _, model := range p.Models {
			if model.Of != page.Method {
				continue
			}
			add(&out, pageName(model), func(t table.Set) (rows []figures.Row) {
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
	scores := []score{{"accuracy", "accuracy", true}, {"log_loss", "log loss, nats", false}}
	return slices.Concat(single, out, sweepFigures(p.Networks, scores))
}

// quantity is a row of maps: a column of the table and its name.
type quantity struct{ column, label string }

// quantities returns the mean of every class but the last, and then every variance.
func quantities(classes int) (all []quantity) {
	for j := 1; j < classes; j++ {
		all = append(all, quantity{fmt.Sprintf("p%d", j), fmt.Sprintf("$μ(y_{%d})$, probability", j)})
	}
	for j := 1; j < classes; j++ {
		all = append(all, quantity{fmt.Sprintf("var%d", j), fmt.Sprintf("$σ²(y_{%d})$, probability²", j)})
	}
	return all
}

// row returns the maps of a quantity of a network at all snapshots, on one scale.
func (p *plane) row(q quantity, method string, t table.Set) figures.Row {
	grid := p.task.Region.Grid(p.Evaluate.Grid)
	c := chartOfPlane{x: grid.X, y: grid.Y, snapshots: p.Evaluate.Snapshots}
	for _, s := range p.task.Boundary {
		c.boundary = append(c.boundary, figures.Segment(s))
	}
	return c.row(q, t.Get("maps").Where("method", method), t.Get("train").Where("seed", p.header.Seed))
}

// chartOfPlane is what the maps of a network have in common.
type chartOfPlane struct {
	x, y      []float64 // coordinates
	snapshots []int
	boundary  []figures.Segment
}

// row returns the maps of a quantity, with the examples that were learned before each.
func (c chartOfPlane) row(q quantity, maps, train *table.Table) figures.Row {
	x1, x2, class := train.Nums("x1"), train.Nums("x2"), train.Nums("class")
	row := figures.Row{Scale: figures.Axis{Label: q.label}}
	for _, k := range c.snapshots {
		m := figures.Map{
			Title: "$k$ = " + strconv.Itoa(k), Z: maps.Where("k", k).Nums(q.column), Boundary: c.boundary, X: c.x, Y: c.y,
		}
		for i, z := range m.Z {
			if z < 0 && !negative(z) {
				m.Z[i] = 0
			}
			if !math.IsInf(z, 0) {
				row.Scale.Max = math.Max(row.Scale.Max, z)
			}
		}
		for i := range k {
			m.Points = append(m.Points, figures.Point{X: x1[i], Y: x2[i], Class: int(class[i]) - 1})
		}
		row.Maps = append(row.Maps, m)
	}
	if strings.HasPrefix(q.column, "p") || row.Scale.Max == 0 {
		row.Scale.Max = 1
	}
	return row
}
