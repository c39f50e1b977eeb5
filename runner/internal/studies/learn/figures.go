package learn

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/softmax"
	"closedform/figures"
	"closedform/runner/internal/plots"
	"closedform/runner/internal/slope"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are curves along the stream, differences from the reference, scores over λ and ρ, or maps of the
// plane. Each map of the first method is also a figure by itself: "fig01" to "fig12" of the paper.
func (e *experiment) Figures() (drawings []study.Figure) {
	switch {
	case e.Evaluate.repeated():
		return []study.Figure{captioned("curve", "summary", aboutOrders, e.drawCurves)}
	case e.swept && (min(len(e.Sweep.Lambda), len(e.Sweep.Rho)) < 2 || !e.Evaluate.single()):
		return nil // a table shows the result
	case e.swept:
		return []study.Figure{captioned("sweep", "summary", aboutSweep, e.drawSweep)}
	case e.stream:
		drawings = append(drawings, captioned("windows", "curve_summary", aboutWindows, e.drawWindows))
	case e.curve:
		drawings = append(drawings, captioned("curve", "curve_summary", aboutCurves, e.drawCurves))
	}
	if e.Evaluate.Reference != "" && len(e.Methods) > 1 {
		about := fmt.Sprintf(aboutDifferences, e.Evaluate.Reference)
		drawings = append(drawings, captioned("differences", "paired", about, e.drawDifferences))
	}
	if !e.plain || !e.curve || e.Data.Grid == 0 {
		return drawings
	}
	classes, columns := e.Data.Task().Classes, len(e.Evaluate.Snapshots)
	labels := figures.Labels{Below: "negative variance", Classes: classes}
	add := func(name, method, caption string, choose func([]figures.Row) []figures.Row) {
		drawings = append(drawings, study.Figure{
			Name: name, Needs: []string{"maps", "examples"}, Caption: caption,
			Draw: func(t table.Tables) *figures.Figure {
				rows := e.mapRows(t.Get("maps").Where("method", method), t.Get("examples"))
				return figures.Maps(choose(rows), labels)
			},
		})
	}
	for _, m := range e.methods {
		add("maps_"+m.Name, m.Name, fmt.Sprintf("Mean and variance of the probability of each class but the last, by `%s`, "+
			"over the inputs, after %d to %d examples. Markers are the examples learned so far, lines "+
			"the true boundaries between the classes. Where variances are pink, the covariance is indefinite.",
			m.Name, e.Evaluate.Snapshots[0], e.Evaluate.Snapshots[columns-1]), func(rows []figures.Row) []figures.Row { return rows })
	}
	for i := range 2 * (classes - 1) * columns {
		add(fmt.Sprintf("fig%02d", i+1), e.methods[0].Name, e.caption(i), func(rows []figures.Row) []figures.Row {
			row := rows[i/columns]
			row.Maps = row.Maps[i%columns:][:1]
			return []figures.Row{row}
		})
	}
	return drawings
}

// caption describes the map of one quantity after some examples, figure i from 0.
func (e *experiment) caption(i int) string {
	steps, classes := e.Evaluate.Snapshots, e.Data.Task().Classes
	class, see := 1+i/len(steps), "The mean of the probability of class %d by `%s`, over the inputs, after %d of %d examples. "+
		"It nears 1 in the region of the class, as far as a linear network can follow the true boundary."
	if class >= classes {
		class, see = class-classes+1, "The variance of the probability of class %d by `%s`, over the inputs, after %d of %d "+
			"examples. It shrinks near examples and stays large where classes meet and where no example was. "
	}
	caption := fmt.Sprintf(see, class, e.methods[0].Name, steps[i%len(steps)], e.Data.Train)
	if e.Data.Generator.Name == "wedges" && len(steps) == 3 {
		caption += fmt.Sprintf(" Figure %d of Yang and Yang (arXiv 2301.13401) shows the same for other examples.", i+1)
	}
	return caption
}

// drawCurves draws rows of charts against examples seen, a chart for each score: a row for each [[set]]; of
// [data] one on test examples and one on next examples; of repeated orders one for each set and what the
// networks differ by.
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

// drawWindows draws the error by window, the mean over the seeds, in a chart for each set.
func (e *experiment) drawWindows(means *table.Table) *figures.Figure {
	var charts []figures.Chart
	for _, group := range means.GroupBy("set") {
		curves := plots.NewLegend(e.Methods).Curves(group, e.Chosen.Among(group.Distinct("method")), "seen", "error")
		for i := range curves {
			c := &curves[i]
			c.Low, c.High = nil, nil // intervals of windows of some hundred examples would hide the curves
			floats.Scale(100/slices.Max(group.Nums("seen")), c.X)
		}
		charts = append(charts, figures.Chart{
			Title: group.Texts("set")[0], X: figures.Axis{Label: "% of the stream"},
			Y: figures.Axis{Label: "error", Log: true}, Curves: curves,
		})
	}
	return figures.Charts(slices.Collect(slices.Chunk(charts, 3)))
}

// drawDifferences draws the paired differences of the log loss from that of the reference, in a chart for
// each set and one for all sets: for the chosen methods, or those of smallest mean, the best first.
func (e *experiment) drawDifferences(paired *table.Table) *figures.Figure {
	legend, sets := plots.NewLegend(e.Methods), paired.Distinct("set")
	overall := paired.Where("set", sets[len(sets)-1])
	methods := overall.Texts("method")
	mean := func(m string) float64 { return overall.Where("method", m).Nums("log_loss")[0] }
	slices.SortStableFunc(methods, func(a, b string) int { return cmp.Compare(mean(a), mean(b)) })
	methods = e.Chosen.Among(methods)
	var labels []string
	var sizes []float64
	for _, m := range methods {
		labels = append(labels, legend.Label(m))
		for _, d := range paired.Where("method", m).Nums("log_loss") {
			sizes = append(sizes, 1.5*math.Abs(table.Finite(d)))
		}
	}
	slices.Sort(sizes) // NaN come first
	x, y := figures.Axis{}, figures.Rows(labels)
	if end := sizes[len(sizes)-1-len(sizes)/20]; end > 0 { // one difference in twenty may be beyond the axis
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

// drawSweep draws maps of scores over λ and ρ for each set and method, with lines of the λ of the criteria.
func (e *experiment) drawSweep(summary *table.Table) *figures.Figure {
	columns := []plots.Column{
		{Name: "error", Axis: figures.Axis{Label: "error"}},
		{Name: "log_loss_median", Axis: figures.Axis{Label: "log loss, nats, median", Log: true}},
		{Name: "log_loss_infinite", Axis: figures.Axis{Label: "infinite log loss, share", Max: 1}},
		{Name: "indefinite_steps", Axis: figures.Axis{Label: "indefinite steps"}}, // as the share, left out if all are 0
	}
	return plots.Sweep(columns, summary.GroupBy("set", "method"), func(m *figures.Map, rows *table.Table) {
		m.Title = plots.NewLegend(e.Methods).Label(rows.Texts("method")[0])
		if e.named {
			m.Title += ", " + rows.Texts("set")[0]
		}
		if e.Data.Generator.Name != "" { // the number of classes is known without the data
			for _, word := range slope.Criteria {
				var lambda []float64
				for _, rho := range m.Y {
					lambda = append(lambda, slope.Lambda{Word: word}.Value(e.Data.Task().Classes, rho))
				}
				m.Curves = append(m.Curves, plots.Matched(word, lambda, m.Y))
			}
		}
	})
}

// mapRows returns, as in the paper, a row of maps for the mean of every class but the last, then one for the
// variance of each. A row has a map for each snapshot, with the examples learned before it, on one scale.
func (e *experiment) mapRows(maps, examples *table.Table) (rows []figures.Row) {
	task := e.Data.Task()
	grid := task.Region.Grid(e.Data.Grid)
	x1, x2 := examples.Nums("x1"), examples.Nums("x2")
	points, classes := make([][]float64, len(x1)), make([]int, len(x1))
	for i, class := range examples.Nums("class") {
		points[i], classes[i] = []float64{x1[i], x2[i]}, int(class)-1
	}
	quantities := [][2]string{{"p", "$μ(y_%d)$, probability"}, {"var", "$σ^2(y_%d)$, probability$^2$"}}
	for variance, quantity := range quantities {
		for j := 1; j < task.Classes; j++ {
			row := figures.Row{Scale: figures.Axis{Label: fmt.Sprintf(quantity[1], j), Max: float64(1 - variance)}}
			for _, k := range e.Evaluate.Snapshots {
				m := figures.Map{
					Title: fmt.Sprint("examples seen: ", k), X: grid.X, Y: grid.Y,
					Z:      maps.Where("k", k).Nums(fmt.Sprint(quantity[0], j)),
					Curves: plots.Boundary(task.Boundary), Points: points[:k], Class: classes,
				}
				if len(m.Z) == 0 { // the method is not a network, or has broken down
					m.Z = table.Gaps(len(grid.Points))
				}
				for n, z := range m.Z {
					if z < 0 && z > -softmax.MomentError { // zero, within the accuracy of the moments
						m.Z[n] = 0
					}
					if variance == 1 && z > row.Scale.Max && !math.IsInf(z, 0) {
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

// Captions.
const (
	aboutOrders = "Total variation between the predictions of two networks that learned the same examples in " +
		"different orders, or different samples of examples; means over the seeds with 95 % intervals. The order " +
		"matters little where it moves predictions much less than the sample does."
	aboutSweep = "Error, median log loss, the share of seeds whose log loss is infinite, and the number of " +
		"indefinite steps, if any, at each λ and ρ. At the λ of the lines the probit is close to the softmax."
	aboutWindows = "Error on the examples of each window of a stream, each predicted before it is learned; means " +
		"over the seeds. Where a stream changes the error rises, and it falls again if the method follows."
	aboutCurves = "Scores after so many examples, on test examples or on next examples, each predicted before it " +
		"is learned; means over the seeds with 95 % intervals. Lower is better."
	aboutDifferences = "Log loss minus that of `%s` on the same test examples; means with 95 %% intervals. A method " +
		"left of the line is better; where its interval crosses the line the difference is not significant."
)

func captioned(name, from, caption string, draw func(*table.Table) *figures.Figure) study.Figure {
	f := plots.Drawing(name, from, draw)
	f.Caption = caption
	return f
}
