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
	case e.curve && e.named:
		drawings = append(drawings, captioned("curve", "curve_summary", aboutSets, e.drawCurves))
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
		caption := fmt.Sprintf("Mean and variance of the probability of each class but the last by `%s`, over the inputs, "+
			"after %d to %d examples. Markers are the examples learned so far, lines the true boundaries between the "+
			"classes. Where a variance is negative, the covariance Σ_y of the probabilities is indefinite.",
			m.Name, e.Evaluate.Snapshots[0], e.Evaluate.Snapshots[columns-1])
		add("maps_"+m.Name, m.Name, caption, func(rows []figures.Row) []figures.Row { return rows })
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
	class, quantity := 1+i/len(steps), "mean"
	see := "With more examples it nears 1 in the region of the class, as far as the network can follow the boundary."
	if class >= classes {
		class, quantity = class-classes+1, "variance"
		see = "With more examples it shrinks near them, and stays large where classes meet and where no example was."
	}
	caption := fmt.Sprintf("The %s of the probability of class %d by `%s`, over the inputs, after %d of %d examples. %s",
		quantity, class, e.methods[0].Name, steps[i%len(steps)], e.Data.Train, see)
	if e.Data.Generator.Name == "wedges" && len(steps) == 3 {
		caption += fmt.Sprintf(" Figure %d of Yang and Yang (arXiv 2301.13401) shows the same for other examples.", i+1)
	}
	return caption
}

// drawCurves draws scores against examples seen. Of repeated orders it is what networks differ by, in a row of
// charts for each set; of other tables [[set]] the log loss, in a chart for each; and of [data] three scores on
// test examples, with two on next examples beneath.
func (e *experiment) drawCurves(means *table.Table) *figures.Figure {
	chart := func(means *table.Table, title, column, label string) figures.Chart {
		methods := e.Chosen.Among(means.Distinct("method"))
		return figures.Chart{
			Title: title, X: figures.Axis{Label: "examples seen", Log: true}, Y: figures.Axis{Label: label, Log: true},
			Curves: plots.NewLegend(e.Methods).Curves(means, methods, "seen", column),
		}
	}
	const loss = "log loss, nats"
	var charts []figures.Chart
	switch {
	case e.Evaluate.repeated():
		for _, group := range means.GroupBy("set", "differ_by") {
			title := group.Texts("set")[0] + ": networks differ by " + group.Texts("differ_by")[0]
			c := chart(group, title, "tv", "total variation")
			c.X.Scope, c.Y.Scope = group.Texts("set")[0], group.Texts("set")[0]
			charts = append(charts, c)
		}
		return figures.Charts(slices.Collect(slices.Chunk(charts, 2)))
	case e.named:
		for _, group := range means.GroupBy("set") {
			charts = append(charts, chart(group, group.Texts("set")[0], "log_loss", loss))
		}
		return figures.Charts(slices.Collect(slices.Chunk(charts, 3)))
	}
	const test, next = "test examples", "next examples, mean so far"
	return figures.Charts([][]figures.Chart{
		{
			chart(means, test, "error", "error"), chart(means, test, "log_loss", loss),
			chart(means, test, "ece", "calibration error"),
		},
		{chart(means, next, "prequential_error", "error"), chart(means, next, "prequential_log_loss", loss)},
	})
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

// drawDifferences draws the paired differences of the log loss from that of the reference, the mean over the
// sets: those of the chosen methods or of the twenty of smallest mean, the best first.
func (e *experiment) drawDifferences(paired *table.Table) *figures.Figure {
	sets := paired.Distinct("set") // the last one is all, if there are several
	overall := paired.Where("set", sets[len(sets)-1])
	methods, means := overall.Texts("method"), overall.Nums("log_loss")
	order := make([]int, len(means))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(means[i], means[j]) })
	var labels []string
	dots := figures.Curve{Name: "mean", Kind: figures.Across, Group: 1}
	low, high := overall.Nums("log_loss_low"), overall.Nums("log_loss_high")
	for _, i := range order {
		chosen := len(e.Chosen.Methods) == 0 && len(labels) < 20 || slices.Contains(e.Chosen.Methods, methods[i])
		if chosen && !math.IsNaN(means[i]) {
			dots.X, dots.Y = append(dots.X, means[i]), append(dots.Y, -float64(len(labels)))
			dots.Low, dots.High = append(dots.Low, low[i]), append(dots.High, high[i])
			labels = append(labels, plots.NewLegend(e.Methods).Label(methods[i]))
		}
	}
	y := figures.Rows(labels)
	zero := figures.Curve{Kind: figures.Reference, X: []float64{0, 0}, Y: []float64{y.Min, y.Max}}
	x := figures.Axis{Label: "log loss minus that of " + plots.NewLegend(e.Methods).Label(e.Evaluate.Reference) + ", nats"}
	chart := figures.Chart{X: x, Y: y, Curves: []figures.Curve{zero, dots}}
	return figures.Charts([][]figures.Chart{{chart}}, "negative is better")
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
		"indefinite steps, if any, at each slope λ and correlation ρ of the probit. In an indefinite step the " +
		"covariance Σ_y of the class probabilities has a negative eigenvalue. At the λ of the lines the probit is " +
		"close to the softmax: it has its slope at the origin (slope-matched), or is its least-squares or minimax fit."
	aboutWindows = "Error on the examples of each window of a stream, each predicted before it is learned; means " +
		"over the seeds. Where a stream changes the error rises, and it falls again if the method follows."
	aboutSets   = "Log loss on test examples after so many examples; means over the seeds with 95 % intervals."
	aboutCurves = "Scores after so many examples, on test examples or on next examples, each predicted before it " +
		"is learned; means over the seeds with 95 % intervals. Lower is better."
	aboutDifferences = "Log loss minus that of `%s` on the same test examples: means over the sets, or over the seeds " +
		"of one set, with 95 %% intervals; of many methods the best twenty, or those that the manifest names. A method " +
		"left of the line is better; where its interval crosses the line the difference is not significant."
)

func captioned(name, from, caption string, draw func(*table.Table) *figures.Figure) study.Figure {
	f := plots.Drawing(name, from, draw)
	f.Caption = caption
	return f
}
