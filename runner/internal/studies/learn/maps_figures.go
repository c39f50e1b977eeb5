package learn

import (
	"cmp"
	"fmt"
	"math"

	"closedform/core/softmax"
	"closedform/figures"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/probit"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// drawSweep draws maps of scores over λ and ρ, one for each set and method, with the λ that have a word.
func (e *experiment) drawSweep(tables table.Set) (*figures.Figure, error) {
	summary, legend := tables.Get("summary"), learner.NewLegend(e.Methods)
	var rows []figures.Row
	for _, y := range []struct {
		column string
		scale  figures.Axis
	}{
		{"error", figures.Axis{Label: "error"}},
		{"log_loss", figures.Axis{Label: "log loss, nats", Log: true}},
		{"indefinite_steps", figures.Axis{Label: "indefinite steps"}},
	} {
		if !summary.Has(y.column) { // all are 0
			continue
		}
		row := figures.Row{Scale: y.scale.Spanning(summary.Nums(y.column))}
		for _, points := range summary.GroupBy("set", "method").All() {
			m, err := study.Heat(points, "lambda", "rho", points.Nums(y.column))
			if err != nil {
				return nil, err
			}
			m.Title = legend.Label(points.Texts("method")[0])
			if e.named {
				m.Title += ", " + points.Texts("set")[0]
			}
			if set := e.sets[0]; set.Generator.Name != "" { // the number of classes is known without the data
				for _, word := range softmax.Criteria {
					mark := figures.Curve{Name: word + " $λ$", Kind: figures.Line, Y: m.Y}
					for _, rho := range m.Y {
						mark.X = append(mark.X, probit.Lambda{Word: word}.Value(set.Task().Classes, rho))
					}
					m.Curves = append(m.Curves, mark)
				}
			}
			row.Maps = append(row.Maps, m)
		}
		rows = append(rows, row)
	}
	return figures.Maps(rows, figures.Labels{X: "$λ$", Y: "$ρ$"}), nil
}

// mapRows are a row of maps for the mean of every class but the last, as in the paper, then one for every
// variance: at all snapshots, on one scale, with the examples that were learned before each.
func (e *experiment) mapRows(maps *table.Table) (rows []figures.Row) {
	task, grid := e.one.Data.Task(), e.one.Data.grid()
	train := task.Draw(e.one.Data.Train, study.Stream(e.manifest.Name, e.manifest.Seed, "train"))
	points, boundary := study.Points(train.X, train.Class), study.Boundary(task.Boundary)
	for i := range 2 * (task.Classes - 1) {
		j, variance := i%(task.Classes-1)+1, i >= task.Classes-1
		column, scale := fmt.Sprint("p", j), figures.Axis{Label: fmt.Sprintf("$μ(y_%d)$, probability", j), Max: 1}
		if variance {
			column, scale = fmt.Sprint("var", j), figures.Axis{Label: fmt.Sprintf("$σ^2(y_%d)$, probability$^2$", j)}
		}
		row := figures.Row{Scale: scale}
		for _, k := range e.Evaluate.Snapshots {
			m := figures.Map{
				Title: fmt.Sprint("$k$ = ", k), X: grid.X, Y: grid.Y, Z: maps.Where("k", k).Nums(column),
				Curves: boundary, Points: points[:k],
			}
			if len(m.Z) == 0 { // of what is not a network, or has broken down
				m.Z = table.Gaps(len(grid.Points))
			}
			for i, z := range m.Z {
				if z < 0 && z > -softmax.MomentError { // not negative beyond the accuracy of the moments
					m.Z[i] = 0
				}
				if variance && z > row.Scale.Max && !math.IsInf(z, 0) {
					row.Scale.Max = z
				}
			}
			row.Maps = append(row.Maps, m)
		}
		row.Scale.Max = cmp.Or(row.Scale.Max, 1)
		rows = append(rows, row)
	}
	return rows
}
