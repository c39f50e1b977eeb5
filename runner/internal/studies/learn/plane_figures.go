package learn

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"closedform/figures"
	"closedform/runner/internal/approx"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are pages "maps_VARIANT" with a row for the mean of every class but the
// last, as in the paper, then one for every variance; the columns are the snapshots.
// With single = true each map is also a figure of its own, row by row: fig01 … fig12
// of the paper.
func (p *plane) Figures() []study.Figure {
	labels := figures.Labels{Below: "negative variance"}
	for j := range p.task.Classes {
		labels.Classes = append(labels.Classes, fmt.Sprintf("class %d", j+1))
	}
	var out []study.Figure
	add := func(name string, draw func(table.Set) *figures.Figure) {
		out = append(out, study.Figure{Name: name, Needs: []string{"maps", "train"}, Draw: func(t table.Set) (*figures.Figure, error) {
			return draw(t), nil
		}})
	}
	panel := 0
	for _, d := range p.Pages {
		for _, model := range p.Models {
			if model.Of != d.Variant {
				continue
			}
			quantities := p.quantities()
			for _, q := range quantities {
				for i := range p.Evaluate.Snapshots {
					if !d.Single {
						break
					}
					panel++
					add(fmt.Sprintf("fig%02d", panel), func(t table.Set) *figures.Figure {
						row := p.row(q, model.Name, t)
						return figures.Maps([]figures.Row{{Scale: row.Scale, Maps: row.Maps[i : i+1]}}, labels)
					})
				}
			}
			add("maps_"+strings.ReplaceAll(model.Name, " ", "_"), func(t table.Set) *figures.Figure {
				var rows []figures.Row
				for _, q := range quantities {
					rows = append(rows, p.row(q, model.Name, t))
				}
				return figures.Maps(rows, labels)
			})
		}
	}
	return out
}

// quantity is a row of maps.
type quantity struct {
	column, label string
	variance      bool
}

func (p *plane) quantities() []quantity {
	var means, variances []quantity
	for j := 1; j < p.task.Classes; j++ {
		means = append(means, quantity{fmt.Sprintf("p%d", j), fmt.Sprintf("$μ(y_{%d})$, probability", j), false})
		variances = append(variances, quantity{fmt.Sprintf("var%d", j), fmt.Sprintf("$σ²(y_{%d})$, probability²", j), true})
	}
	return append(means, variances...)
}

// row returns the maps of a quantity of a network at all snapshots, on one scale.
func (p *plane) row(q quantity, method string, t table.Set) figures.Row {
	maps, train := t.Get("maps").Where("method", method), t.Get("train").Where("seed", p.header.Seed)
	x1, x2, class := train.Nums("x1"), train.Nums("x2"), train.Nums("class")
	var boundary []figures.Segment
	for _, s := range p.task.Boundary {
		boundary = append(boundary, figures.Segment(s))
	}
	row := figures.Row{Scale: figures.Axis{Label: q.label, Max: 1}}
	largest := 0.0
	for _, k := range p.Evaluate.Snapshots {
		m := figures.Map{
			Title: "$k$ = " + strconv.Itoa(k), Z: maps.Where("k", k).Nums(q.column), Boundary: boundary,
			X: p.task.Region.Axis(0, p.Evaluate.Grid), Y: p.task.Region.Axis(1, p.Evaluate.Grid),
		}
		for _, z := range m.Z {
			if !math.IsInf(z, 0) {
				largest = math.Max(largest, z)
			}
		}
		for i := range k {
			m.Points = append(m.Points, figures.Point{X: x1[i], Y: x2[i], Class: int(class[i]) - 1})
		}
		row.Maps = append(row.Maps, m)
	}
	if q.variance && largest > 0 {
		row.Scale.Max = largest
	}
	for _, m := range row.Maps {
		snap(m.Z, row.Scale)
	}
	return row
}

// snap moves values that are outside the scale by no more than the error of the
// moments to its ends.
func snap(z []float64, s figures.Axis) {
	for i, x := range z {
		switch {
		case x < s.Min && x >= s.Min-approx.MomentError:
			z[i] = s.Min
		case x > s.Max && x <= s.Max+approx.MomentError:
			z[i] = s.Max
		}
	}
}
