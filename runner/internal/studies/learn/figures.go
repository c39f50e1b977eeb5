package learn

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"closedform/core/softmax"
	"closedform/figures"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/probit"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are "curve", scores along the stream; "differences" from the reference; "sweep", scores over λ and
// ρ; and of the plane "maps_METHOD", and each map of the first method by itself, row by row, "fig01" to
// "fig12" of the paper.
func (e *experiment) Figures() (drawings []study.Figure) {
	switch {
	case e.Evaluate.repeated():
		return nil
	case e.heat:
		return []study.Figure{{Name: "sweep", Needs: []string{"summary"}, Draw: e.drawSweep}}
	case e.curve:
		drawings = append(drawings, study.Drawing("curve", "curve_summary", e.drawCurves))
	}
	if e.Evaluate.Reference != "" && len(e.Methods) > 1 {
		drawings = append(drawings, study.Drawing("differences", "paired", e.drawDifferences))
	}
	if !e.mapped {
		return drawings
	}
	for _, m := range e.methods {
		drawings = append(drawings, e.mapFigure("maps_"+m.Name, m.Name, -1))
	}
	for i := range 2 * (e.one.Data.Task().Classes - 1) * len(e.Evaluate.Snapshots) {
		drawings = append(drawings, e.mapFigure(fmt.Sprintf("fig%02d", i+1), e.methods[0].Name, i))
	}
	return drawings
}

func logAxis(label string) figures.Axis { return figures.Axis{Label: label, Log: true} }

// drawCurves draws scores against examples seen: a row of charts per set, for [data] also before learning.
func (e *experiment) drawCurves(means *table.Table) *figures.Figure {
	var rows [][]figures.Chart
	for _, set := range e.sets {
		add := func(title, prefix string) {
			rows = append(rows, e.charts(means.Where("set", set.Name), title,
				study.Column{Name: prefix + "error", Axis: logAxis("error")},
				study.Column{Name: prefix + "log_loss", Axis: logAxis("log loss, nats")},
				study.Column{Name: prefix + "ece", Axis: logAxis("calibration error")}))
		}
		if e.named {
			add(set.Name, "")
			continue
		}
		add("test examples", "")
		add("next examples, mean so far", "prequential_")
	}
	return figures.Charts(rows)
}

// charts plot each column that the means have against the examples seen, a curve for each method and sweep.
func (e *experiment) charts(means *table.Table, title string, columns ...study.Column) (row []figures.Chart) {
	shown := e.Chosen.Rows(means, means.Distinct("method"))
	for _, y := range columns {
		if means.Has(y.Name) {
			curves := learner.NewLegend(e.Methods).Curves(shown, "seen", y.Name, e.swept...)
			row = append(row, figures.Chart{Title: title, X: logAxis("examples seen"), Y: y.Axis, Curves: curves})
		}
	}
	return row
}

// drawDifferences draws the paired differences of the log loss from that of the reference, for every set and
// over all sets, of the chosen methods or those with the least mean, best method first.
func (e *experiment) drawDifferences(paired *table.Table) *figures.Figure {
	legend, whole := learner.NewLegend(e.Methods), paired.Where("set", allSets)
	methods := whole.Texts("method")
	mean := func(m string) float64 { return whole.Where("method", m).Nums("log_loss")[0] }
	slices.SortStableFunc(methods, func(a, b string) int { return cmp.Compare(mean(a), mean(b)) })
	shown := e.Chosen.Rows(paired, methods)
	methods = slices.DeleteFunc(methods, func(m string) bool { return shown.Where("method", m).Len() == 0 })
	var labels []string
	for _, m := range methods {
		labels = append(labels, legend.Label(m))
	}
	x, y := figures.Axis{}, figures.Rows(labels)
	ends := study.Curve(shown, "", "log_loss", "log_loss")
	x.Min, x.Max = middle(slices.Concat(ends.X, ends.Low, ends.High))
	zero := figures.Curve{Kind: figures.Reference, X: []float64{0, 0}, Y: []float64{y.Min, y.Max}}
	sets, caption := shown.Distinct("set"), "negative is better; means over the splits, under all over the sets"
	if len(e.sets) == 1 {
		sets, caption = []string{e.sets[0].Name}, "negative is better"
	}
	var charts []figures.Chart
	for _, set := range sets {
		rows := shown.Where("set", set)
		dots := study.Curve(rows, "mean", "log_loss", "log_loss")
		dots.Kind, dots.Group = figures.Across, 1
		for i, m := range rows.Texts("method") {
			dots.Y[i] = -float64(slices.Index(methods, m))
		}
		charts = append(charts, figures.Chart{Title: set, X: x, Y: y, Curves: []figures.Curve{zero, dots}})
	}
	return figures.Charts(slices.Collect(slices.Chunk(charts, min(5, len(e.sets)+1))),
		"log loss minus that of "+legend.Label(e.Evaluate.Reference)+", nats", caption)
}

// middle returns the ends of an axis for differences: it holds 0 and most of those that are finite. Both ends
// are 0 if there is none.
func middle(values []float64) (low, high float64) {
	values = slices.DeleteFunc(values, func(x float64) bool { return math.IsInf(x, 0) || math.IsNaN(x) })
	if slices.Sort(values); len(values) > 0 {
		low = min(0, stat.Quantile(0.05, stat.Empirical, values, nil))
		high = max(0, stat.Quantile(0.95, stat.Empirical, values, nil))
	}
	margin := 0.1 * (high - low)
	return low - margin, high + margin
}

// drawSweep draws maps of scores over λ and ρ, one for each set and method, with the λ that have a word.
func (e *experiment) drawSweep(tables table.Set) (*figures.Figure, error) {
	columns := []study.Column{
		{Name: "error", Axis: figures.Axis{Label: "error"}},
		{Name: "log_loss", Axis: logAxis("log loss, nats")},
		{Name: "indefinite_steps", Axis: figures.Axis{Label: "indefinite steps"}}, // absent if all are 0
	}
	points := tables.Get("summary").GroupBy("set", "method")
	return study.Sweep(columns, points, func(m *figures.Map, rows *table.Table) {
		m.Title = learner.NewLegend(e.Methods).Label(rows.Texts("method")[0])
		if e.named {
			m.Title += ", " + rows.Texts("set")[0]
		}
		if set := e.sets[0]; set.Generator.Name != "" { // the number of classes is known without the data
			for _, word := range softmax.Criteria {
				var lambda []float64
				for _, rho := range m.Y {
					lambda = append(lambda, probit.Lambda{Word: word}.Value(set.Task().Classes, rho))
				}
				m.Curves = append(m.Curves, study.Matched(word, lambda, m.Y))
			}
		}
	})
}

// mapFigure has the maps of a method, or if i is not negative the i-th of them alone.
func (e *experiment) mapFigure(name, method string, i int) study.Figure {
	columns := len(e.Evaluate.Snapshots)
	return study.Drawing(name, "maps", func(maps *table.Table) *figures.Figure {
		rows := e.mapRows(maps.Where("method", method))
		if i >= 0 {
			rows = []figures.Row{{Scale: rows[i/columns].Scale, Maps: rows[i/columns].Maps[i%columns:][:1]}}
		}
		labels := figures.Labels{Below: "negative variance", Classes: e.one.Data.Task().Classes}
		return figures.Maps(rows, labels)
	})
}

// mapRows are a row of maps for the mean of every class but the last, as in the paper, then one for every
// variance: at all snapshots, on one scale, with the examples that were learned before each.
func (e *experiment) mapRows(maps *table.Table) (rows []figures.Row) {
	task, grid := e.one.Data.Task(), e.one.Data.grid()
	train := task.Draw(e.one.Data.Train, study.Stream(e.manifest.Name, e.manifest.Seed, "train"))
	for i := range 2 * (task.Classes - 1) {
		j, variance := i%(task.Classes-1)+1, i >= task.Classes-1
		column, scale := fmt.Sprint("p", j), figures.Axis{Label: fmt.Sprintf("$μ(y_%d)$, probability", j), Max: 1}
		if variance {
			column, scale = fmt.Sprint("var", j), figures.Axis{Label: fmt.Sprintf("$σ^2(y_%d)$, probability$^2$", j)}
		}
		row := figures.Row{Scale: scale}
		for _, k := range e.Evaluate.Snapshots {
			m := figures.Map{
				Title: fmt.Sprint("examples seen: ", k), X: grid.X, Y: grid.Y, Z: maps.Where("k", k).Nums(column),
				Curves: study.Boundary(task.Boundary), Points: train.X[:k], Class: train.Class,
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
