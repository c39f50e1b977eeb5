package study

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	figures "closedform/runner/internal/oldfigures"
	"closedform/runner/internal/store"
)

// figures draws the maps of the manifest's figures, from the tables alone.
//
// A figure is a page "maps_VARIANT" with a row for the mean of every class but
// the last, as in the paper, then one for every variance; its columns are the
// snapshots. With single = true each panel is also a figure of its own, row by
// row: fig01 … fig12 of the paper.
func (l *learn) figures(tables []store.Table) []Figure {
	grid, train := find(tables, "grid"), find(tables, "train").where("seed", strconv.Itoa(l.m.Seed))
	labels := figures.Labels{Below: "negative variance"}
	for j := range l.generator.Classes {
		labels.Classes = append(labels.Classes, fmt.Sprintf("class %d", j+1))
	}
	var out []Figure
	panel := 0
	for _, spec := range l.Figures {
		for _, model := range l.Models() {
			if model.Variant != spec.Variant {
				continue
			}
			var rows []figures.Row
			for _, q := range l.quantities() {
				row := l.row(q, grid.where("variant", model.Name), train)
				rows = append(rows, row)
				if !spec.Single {
					continue
				}
				for _, m := range row.Maps {
					panel++
					out = append(out, Figure{fmt.Sprintf("fig%02d", panel), figures.Single(m, row.Scale, labels)})
				}
			}
			out = append(out, Figure{"maps_" + strings.ReplaceAll(model.Name, " ", "_"), figures.Page(rows, labels)})
		}
	}
	return out
}

// row returns the maps of a quantity at all snapshots, on one scale.
func (l *learn) row(q quantity, maps, train frame) figures.Row {
	axis := l.generator.Axis(l.Evaluate.Grid)
	var boundary []figures.Segment
	for _, s := range l.generator.Boundary {
		boundary = append(boundary, figures.Segment(s))
	}
	row := figures.Row{Scale: figures.Scale{Label: q.label, Max: 1}}
	largest := 0.0
	for _, k := range l.Evaluate.Snapshots {
		z := maps.where("k", strconv.Itoa(k)).floats(q.column)
		for _, x := range z {
			if !math.IsInf(x, 0) {
				largest = math.Max(largest, x)
			}
		}
		row.Maps = append(row.Maps, figures.Map{
			Title: fmt.Sprintf("$k$ = %d", k), X: axis, Y: axis, Z: z,
			Points: points(train, k), Boundary: boundary,
		})
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
func snap(z []float64, s figures.Scale) {
	for i, x := range z {
		switch {
		case x < s.Min && x >= s.Min-momentError:
			z[i] = s.Min
		case x > s.Max && x <= s.Max+momentError:
			z[i] = s.Max
		}
	}
}

// quantity is a row of maps.
type quantity struct {
	column, label string
	variance      bool
}

func (l *learn) quantities() []quantity {
	var mean, variance []quantity
	for j := 1; j < l.generator.Classes; j++ {
		index := subscript(j)
		mean = append(mean, quantity{fmt.Sprintf("p%d", j), fmt.Sprintf("$μ(y%s)$, probability", index), false})
		variance = append(variance, quantity{fmt.Sprintf("var%d", j), fmt.Sprintf("$σ²(y%s)$, probability²", index), true})
	}
	return slices.Concat(mean, variance)
}

// subscript returns the digits of j as Unicode subscripts.
func subscript(j int) string {
	var s []rune
	for _, d := range strconv.Itoa(j) {
		s = append(s, '₀'+d-'0')
	}
	return string(s)
}

// points returns the first k training examples.
func points(train frame, k int) []figures.Point {
	x1, x2, class := train.floats("x1"), train.floats("x2"), train.floats("class")
	var out []figures.Point
	for i := range k {
		out = append(out, figures.Point{X: x1[i], Y: x2[i], Class: int(class[i]) - 1})
	}
	return out
}
