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

// Figures are "curve", scores along the stream; "differences" from the reference; "pairs", distances of
// networks; "sweep", scores over λ and ρ; "maps_METHOD" of the plane; and the maps of the first method one by
// one, row by row: "fig01" to "fig12" of the paper.
func (e *experiment) Figures() (all []study.Figure) {
	switch {
	case e.Evaluate.repeated():
		return []study.Figure{study.Drawing("pairs", "summary", e.drawPairs)}
	case e.heat:
		return []study.Figure{{Name: "sweep", Needs: []string{"summary"}, Draw: e.drawSweep}}
	case e.curve:
		all = append(all, study.Drawing("curve", "curve_summary", e.drawCurves))
	}
	if e.Evaluate.Reference != "" && len(e.Methods) > 1 {
		all = append(all, study.Drawing("differences", "paired", e.drawDifferences))
	}
	if !e.mapped {
		return all
	}
	for _, m := range e.methods {
		all = append(all, e.mapFigure("maps_"+m.Name, m.Name, -1))
	}
	for i := range 2 * (e.one.Data.Task().Classes - 1) * len(e.Evaluate.Snapshots) {
		all = append(all, e.mapFigure(fmt.Sprintf("fig%02d", i+1), e.methods[0].Name, i))
	}
	return all
}

type column struct {
	name string
	axis figures.Axis
}

// drawCurves draws scores against the examples learned: a row of charts per set, for [data] also
// test-then-train.
func (e *experiment) drawCurves(means *table.Table) *figures.Figure {
	var rows [][]figures.Chart
	add := func(set, title, prefix string) {
		rows = append(rows, e.charts(means.Where("set", set), title,
			column{"seen", figures.Axis{Label: "examples seen", Log: true}},
			column{prefix + "error", figures.Axis{Label: "error", Log: true}},
			column{prefix + "log_loss", figures.Axis{Label: "log loss, nats", Log: true}},
			column{prefix + "ece", figures.Axis{Label: "calibration error", Log: true}}))
	}
	for _, set := range e.sets {
		if e.named {
			add(set.Name, set.Name, "")
			continue
		}
		add(set.Name, "test examples", "")
		add(set.Name, "next examples, mean so far", "prequential_")
	}
	return figures.Charts(rows)
}

// charts draws the available columns y against x, with a curve for each chosen method at every swept value.
func (e *experiment) charts(means *table.Table, title string, x column, y ...column) (all []figures.Chart) {
	legend, by := learner.NewLegend(e.Methods), append([]string{"method"}, e.swept...)
	curves := e.Chosen.Of(means, means.Distinct("method")).GroupBy(by...).All()
	for _, y := range y {
		if !means.Has(y.name) {
			continue
		}
		c := figures.Chart{Title: title, X: x.axis, Y: y.axis}
		for _, rows := range curves {
			name := rows.Texts("method")[0]
			for _, key := range e.swept {
				name += fmt.Sprintf(" %s=%s", key, rows.Texts(key)[0])
			}
			curve := study.Curve(rows, legend.Label(name), x.name, y.name)
			curve.Group = legend.Group(name)
			c.Curves = append(c.Curves, curve)
		}
		all = append(all, c)
	}
	return all
}

// drawPairs draws the distances of networks that learned the same examples in different orders, beside those
// that learned different examples; two rows of charts for each set, each with its own Y axis.
func (e *experiment) drawPairs(summary *table.Table) *figures.Figure {
	x := column{"seen", figures.Axis{Label: "training examples", Log: true}}
	var rows [][]figures.Chart
	for _, set := range e.sets {
		for _, y := range [][2]string{{"tv", "total variation"}, {"error_sd", "sd of the error"}} {
			var row []figures.Chart
			for _, by := range []string{byOrder, bySample} {
				means := summary.Where("set", set.Name).Where("differ_by", by)
				row = append(row, e.charts(means, set.Name+": networks differ by "+by, x,
					column{y[0], figures.Axis{Label: y[1], Log: true, Scope: set.Name}})...)
			}
			rows = append(rows, row)
		}
	}
	return figures.Charts(rows)
}

// drawDifferences draws the paired differences of log loss from the reference, for every set and over all
// sets, of the chosen methods or those with the smallest mean, best first.
func (e *experiment) drawDifferences(paired *table.Table) *figures.Figure {
	legend, whole := learner.NewLegend(e.Methods), paired.Where("set", allSets)
	methods := whole.Texts("method")
	slices.SortStableFunc(methods, func(a, b string) int {
		mean := func(m string) float64 { return whole.Where("method", m).Nums("log_loss")[0] }
		return cmp.Compare(mean(a), mean(b))
	})
	shown := e.Chosen.Of(paired, methods)
	methods = slices.DeleteFunc(methods, func(m string) bool { return shown.Where("method", m).Len() == 0 })
	var labels []string
	for _, m := range methods {
		labels = append(labels, legend.Label(m))
	}
	x, y := figures.Axis{}, figures.Rows(labels)
	ends := study.Curve(shown, "", "log_loss", "log_loss")
	x.Min, x.Max = middle(slices.Concat(ends.X, ends.Low, ends.High))
	zero := figures.Curve{Kind: figures.Reference, X: []float64{0, 0}, Y: []float64{y.Min, y.Max}}
	var charts []figures.Chart
	for _, set := range shown.Distinct("set") {
		if set == allSets && len(e.sets) == 1 {
			continue
		}
		rows := shown.Where("set", set)
		dots := study.Curve(rows, "mean with its 95 % interval", "log_loss", "log_loss")
		dots.Kind, dots.Group, dots.Across = figures.Scatter, 1, true
		for i, m := range rows.Texts("method") {
			dots.Y[i] = -float64(slices.Index(methods, m))
		}
		charts = append(charts, figures.Chart{Title: set, X: x, Y: y, Curves: []figures.Curve{zero, dots}})
	}
	caption := "negative is better"
	if len(charts) > 1 {
		caption += "; means over the splits, in all over the sets"
	}
	return figures.Charts(slices.Collect(slices.Chunk(charts, min(5, len(e.sets)+1))),
		"log loss minus that of "+legend.Label(e.Evaluate.Reference)+", nats", caption)
}

// middle returns the ends of an axis with 0 and most of the finite differences.
func middle(values []float64) (low, high float64) {
	values = slices.DeleteFunc(values, func(x float64) bool { return math.IsInf(x, 0) || math.IsNaN(x) })
	if slices.Sort(values); len(values) > 0 {
		low = min(0, stat.Quantile(0.05, stat.Empirical, values, nil))
		high = max(0, stat.Quantile(0.9, stat.Empirical, values, nil))
	}
	if low == high {
		return -1, 1
	}
	margin := 0.1 * (high - low)
	return low - margin, high + margin
}

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

func (e *experiment) mapFigure(name, method string, i int) study.Figure {
	return study.Drawing(name, "maps", func(maps *table.Table) *figures.Figure {
		rows, columns := e.mapRows(maps.Where("method", method)), len(e.Evaluate.Snapshots)
		if i >= 0 {
			rows = rows[i/columns : i/columns+1]
			rows[0].Maps = rows[0].Maps[i%columns : i%columns+1]
		}
		labels := figures.Labels{Below: "negative variance", Classes: study.Classes(e.one.Data.Task().Classes)}
		return figures.Maps(rows, labels)
	})
}

// mapRows is a row of maps of the mean of every class but the last, as in the paper, and one of each
// variance: at all snapshots, on one scale, with the examples learned before.
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
