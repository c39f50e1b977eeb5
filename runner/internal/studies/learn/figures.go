package learn

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"closedform/core/softmax"
	"closedform/figures"
	"closedform/runner/internal/plots"
	"closedform/runner/internal/probit"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are curves, differences from the reference, scores over λ and ρ, and maps of the plane, each of the
// first method also by itself, row by row: "fig01" to "fig12" of the paper.
func (e *experiment) Figures() (drawings []study.Figure) {
	switch {
	case e.Evaluate.repeated():
		return []study.Figure{study.Drawing("curve", "summary", e.drawCurves)}
	case e.swept && (min(len(e.Sweep.Lambda), len(e.Sweep.Rho)) < 2 || !e.Evaluate.single()):
		return nil // a table says it
	case e.swept:
		return []study.Figure{study.Drawing("sweep", "summary", e.drawSweep)}
	case e.curve:
		drawings = append(drawings, study.Drawing("curve", "curve_summary", e.drawCurves))
	}
	if e.Evaluate.Reference != "" && len(e.Methods) > 1 {
		drawings = append(drawings, study.Drawing("differences", "paired", e.drawDifferences))
	}
	if e.plain && e.curve && e.Data.Grid > 0 {
		classes, columns := e.Data.Task().Classes, len(e.Evaluate.Snapshots)
		labels := figures.Labels{Below: "negative variance", Classes: classes}
		for _, m := range e.methods {
			drawings = append(drawings, study.Drawing("maps_"+m.Name, "maps", func(t *table.Table) *figures.Figure {
				return figures.Maps(e.mapRows(t.Where("method", m.Name)), labels)
			}))
		}
		for i := range 2 * (classes - 1) * columns {
			name := fmt.Sprintf("fig%02d", i+1)
			drawings = append(drawings, study.Drawing(name, "maps", func(t *table.Table) *figures.Figure {
				row := e.mapRows(t.Where("method", e.methods[0].Name))[i/columns]
				row.Maps = row.Maps[i%columns:][:1]
				return figures.Maps([]figures.Row{row}, labels)
			}))
		}
	}
	return drawings
}

// drawCurves draws a row of charts for each set against examples seen, for [data] also before learning, and
// for repeated orders by what the networks differ by.
func (e *experiment) drawCurves(means *table.Table) *figures.Figure {
	var rows [][]figures.Chart
	add := func(title, prefix string, means *table.Table) {
		var row []figures.Chart
		methods := e.Chosen.Among(means.Distinct("method"))
		labels := []string{"total variation", "error", "log loss, nats", "calibration error"}
		for i, score := range []string{"tv", "error", "log_loss", "ece"} {
			if column := prefix + score; means.Has(column) {
				row = append(row, figures.Chart{
					Title: title, X: figures.Axis{Label: "examples seen", Log: true},
					Y:      figures.Axis{Label: labels[i], Log: true},
					Curves: plots.NewLegend(e.Methods).Curves(means, methods, "seen", column),
				})
			}
		}
		rows = append(rows, row)
	}
	switch {
	case e.Evaluate.repeated():
		for _, group := range means.GroupBy("set", "differ_by") {
			add(group.Texts("set")[0]+": networks differ by "+group.Texts("differ_by")[0], "", group)
		}
	case e.named:
		for _, group := range means.GroupBy("set") {
			add(group.Texts("set")[0], "", group)
		}
	default:
		add("test examples", "", means)
		add("next examples, mean so far", "prequential_", means)
	}
	return figures.Charts(rows)
}

// drawDifferences draws the paired differences of the log loss from that of the reference, for every set and
// over all sets, of the chosen methods or those with the least mean, best method first.
func (e *experiment) drawDifferences(paired *table.Table) *figures.Figure {
	legend, sets := plots.NewLegend(e.Methods), paired.Distinct("set")
	whole := paired.Where("set", sets[len(sets)-1])
	methods := whole.Texts("method")
	mean := func(m string) float64 { return whole.Where("method", m).Nums("log_loss")[0] }
	slices.SortStableFunc(methods, func(a, b string) int { return cmp.Compare(mean(a), mean(b)) })
	methods = e.Chosen.Among(methods)
	var labels []string
	var ends []float64
	for _, m := range methods {
		labels = append(labels, legend.Label(m))
		for _, d := range paired.Where("method", m).Nums("log_loss") {
			ends = append(ends, 1.5*math.Abs(table.Finite(d)))
		}
	}
	slices.Sort(ends) // NaN first
	x, y := figures.Axis{}, figures.Rows(labels)
	if end := ends[len(ends)-1-len(ends)/20]; end > 0 { // the largest, and intervals, may leave the axis
		x.Min, x.Max = -end, end
	}
	zero := figures.Curve{Kind: figures.Reference, X: []float64{0, 0}, Y: []float64{y.Min, y.Max}}
	var charts []figures.Chart
	for _, set := range sets {
		dots := figures.Curve{Name: "mean", Kind: figures.Across, Group: 1}
		for i, m := range methods {
			row := paired.Where("set", set).Where("method", m)
			dots.X, dots.Y = append(dots.X, row.Nums("log_loss")...), append(dots.Y, -float64(i))
			dots.Low = append(dots.Low, row.Nums("log_loss_low")...)
			dots.High = append(dots.High, row.Nums("log_loss_high")...)
		}
		charts = append(charts, figures.Chart{Title: set, X: x, Y: y, Curves: []figures.Curve{zero, dots}})
	}
	return figures.Charts(slices.Collect(slices.Chunk(charts, min(5, len(sets)))),
		"log loss minus that of "+legend.Label(e.Evaluate.Reference)+", nats", "negative is better")
}

// drawSweep draws maps of scores over λ and ρ, one for each set and method, with the λ that have a word.
func (e *experiment) drawSweep(summary *table.Table) *figures.Figure {
	columns := []study.Column{
		{Name: "error", Axis: figures.Axis{Label: "error"}},
		{Name: "log_loss", Axis: figures.Axis{Label: "log loss, nats", Log: true}},
		{Name: "indefinite_steps", Axis: figures.Axis{Label: "indefinite steps"}}, // absent if all are 0
	}
	return study.Sweep(columns, summary.GroupBy("set", "method"), func(m *figures.Map, rows *table.Table) {
		m.Title = plots.NewLegend(e.Methods).Label(rows.Texts("method")[0])
		if e.named {
			m.Title += ", " + rows.Texts("set")[0]
		}
		if e.Data.Generator.Name != "" { // the number of classes is known without the data
			for _, word := range softmax.Criteria {
				var lambda []float64
				for _, rho := range m.Y {
					lambda = append(lambda, probit.Lambda{Word: word}.Value(e.Data.Task().Classes, rho))
				}
				m.Curves = append(m.Curves, study.Matched(word, lambda, m.Y))
			}
		}
	})
}

// mapRows are a row of maps for the mean of every class but the last, as in the paper, then one for every
// variance: at all snapshots, on one scale, with the examples that were learned before each.
func (e *experiment) mapRows(maps *table.Table) (rows []figures.Row) {
	task := e.Data.Task()
	grid := task.Region.Grid(e.Data.Grid)
	train := task.Draw(e.Data.Train, study.Stream(e.manifest.Name, e.manifest.Seed, "train"))
	for i, q := range [][2]string{{"p", "$μ(y_%d)$, probability"}, {"var", "$σ^2(y_%d)$, probability$^2$"}} {
		for j := 1; j < task.Classes; j++ {
			row := figures.Row{Scale: figures.Axis{Label: fmt.Sprintf(q[1], j), Max: float64(1 - i)}}
			for _, k := range e.Evaluate.Snapshots {
				m := figures.Map{
					Title: fmt.Sprint("examples seen: ", k), X: grid.X, Y: grid.Y,
					Z:      maps.Where("k", k).Nums(fmt.Sprint(q[0], j)),
					Curves: study.Boundary(task.Boundary), Points: train.X[:k], Class: train.Class,
				}
				if len(m.Z) == 0 { // of what is not a network, or has broken down
					m.Z = table.Gaps(len(grid.Points))
				}
				for n, z := range m.Z {
					if z < 0 && z > -softmax.MomentError { // not negative beyond the accuracy of the moments
						m.Z[n] = 0
					}
					if i == 1 && z > row.Scale.Max && !math.IsInf(z, 0) {
						row.Scale.Max = z
					}
				}
				row.Maps = append(row.Maps, m)
			}
			row.Scale.Max = cmp.Or(row.Scale.Max, 1)
			rows = append(rows, row)
		}
	}
	return rows
}
