package learn

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"closedform/figures"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are "curve", scores along the stream; "differences" from the reference; "pairs", how far networks
// are apart; "sweep", scores over λ and ρ; and of the plane "maps_METHOD", and each map of the first method
// by itself, row by row: "fig01" to "fig12" of the paper.
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
	maps := func(name, method string, rows func([]figures.Row) []figures.Row) {
		all = append(all, study.Drawing(name, "maps", func(maps *table.Table) *figures.Figure {
			labels := figures.Labels{Below: "negative variance", Classes: study.Classes(e.one.Data.Task().Classes)}
			return figures.Maps(rows(e.mapRows(maps.Where("method", method))), labels)
		}))
	}
	for _, m := range e.methods {
		maps("maps_"+m.Name, m.Name, func(rows []figures.Row) []figures.Row { return rows })
	}
	columns := len(e.Evaluate.Snapshots)
	for i := range 2 * (e.one.Data.Task().Classes - 1) * columns {
		maps(fmt.Sprintf("fig%02d", i+1), e.methods[0].Name, func(rows []figures.Row) []figures.Row {
			row := rows[i/columns]
			row.Maps = row.Maps[i%columns : i%columns+1]
			return []figures.Row{row}
		})
	}
	return all
}

// drawCurves draws scores against the examples seen: a row of charts for each set, and for [data] another of
// predictions before learning. Of sorted streams it draws the error against the classes learned, a chart for
// each set.
func (e *experiment) drawCurves(means *table.Table) *figures.Figure {
	var rows [][]figures.Chart
	if slices.Contains(e.Evaluate.Order, Sorted) {
		var charts []figures.Chart
		for _, set := range e.sets {
			x, y := figures.Axis{Label: "classes learned"}, figures.Axis{Label: "error", Max: 1}
			c := e.chart(means.Where("set", set.Name), x, "classes", "error", y)
			c.Title = set.Name
			charts = append(charts, c)
		}
		return figures.Charts(slices.Collect(slices.Chunk(charts, 3)))
	}
	charts := func(set, title, prefix string) (row []figures.Chart) {
		x := figures.Axis{Label: "examples seen", Log: true}
		labels := [][2]string{{"error", "error"}, {"log_loss", "log loss, nats"}, {"ece", "calibration error"}}
		for _, y := range labels {
			if means.Has(prefix + y[0]) {
				axis := figures.Axis{Label: y[1], Log: true}
				c := e.chart(means.Where("set", set), x, "seen", prefix+y[0], axis)
				c.Title = title
				row = append(row, c)
			}
		}
		return row
	}
	for _, set := range e.sets {
		title := "test examples"
		if e.named {
			title = set.Name
		}
		rows = append(rows, charts(set.Name, title, ""))
		if !e.named && means.Has("prequential_error") {
			rows = append(rows, charts(set.Name, "next examples, mean so far", "prequential_"))
		}
	}
	return figures.Charts(rows)
}

// chart has a curve of one column against another for each chosen method, at everything that is swept.
func (e *experiment) chart(
	means *table.Table, x figures.Axis, from, to string, y figures.Axis,
) figures.Chart {
	c := figures.Chart{X: x, Y: y}
	legend, by := learner.NewLegend(e.Methods), append([]string{"method"}, e.swept...)
	for _, rows := range e.Chosen.Of(means, means.Distinct("method")).GroupBy(by...).All() {
		name := rows.Texts("method")[0]
		for _, key := range e.swept {
			name += fmt.Sprintf(" %s=%s", key, rows.Texts(key)[0])
		}
		curve := study.Curve(rows, legend.Label(name), from, to)
		curve.Group = legend.Group(name)
		c.Curves = append(c.Curves, curve)
	}
	return c
}

// drawPairs draws how far networks are apart that have seen the same examples in different orders, and beside
// it different examples; two rows of charts for each set, each with a Y axis of its own.
func (e *experiment) drawPairs(summary *table.Table) *figures.Figure {
	x := figures.Axis{Label: "training examples", Log: true}
	var rows [][]figures.Chart
	for _, set := range e.sets {
		means := summary.Where("set", set.Name)
		for _, y := range [][2]string{{"tv", "total variation"}, {"error_sd", "sd of the error"}} {
			axis := figures.Axis{Label: y[1], Log: true, Scope: set.Name}
			var row []figures.Chart
			for _, by := range []string{byOrder, bySample} {
				c := e.chart(means.Where("differ_by", by), x, "seen", y[0], axis)
				c.Title = set.Name + ": networks differ by " + by
				row = append(row, c)
			}
			rows = append(rows, row)
		}
	}
	return figures.Charts(rows)
}

// drawDifferences draws the paired differences of the log loss from that of the reference, for every set and
// over all sets, of the chosen methods or those with the least mean, best method first.
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
		dots := figures.Curve{Name: "mean with its 95 % interval", Kind: figures.Scatter, Group: 1, Across: true}
		for k, m := range methods {
			r := study.Curve(shown.Where("set", set).Where("method", m), "", "log_loss", "log_loss")
			dots.X = append(dots.X, r.X...)
			dots.Low, dots.High = append(dots.Low, r.Low...), append(dots.High, r.High...)
			dots.Y = append(dots.Y, slices.Repeat([]float64{float64(-k)}, len(r.X))...)
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

// middle returns the ends of an axis for differences: it holds 0 and most of those that are finite.
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
