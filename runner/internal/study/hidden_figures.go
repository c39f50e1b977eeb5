package study

import (
	"fmt"
	"math"
	"slices"

	figures "closedform/runner/internal/oldfigures"
	"closedform/runner/internal/store"
)

// figures draws, from the tables alone, "accuracy", "log_loss" and "ece" against
// the examples seen, a chart per task; and "maps_TASK" after the first pass, a
// column per variant that the manifest wants to be drawn.
func (h *hidden) figures(tables []store.Table) []Figure {
	summary := find(tables, "summary")
	out := []Figure{
		{"accuracy", h.charts(summary, "accuracy", figures.Axis{Label: "test accuracy", Min: 0.3, Max: 1}, true)},
		{"log_loss", h.charts(summary, "log_loss", figures.Axis{Label: "log loss, nats", Log: true, Min: 0.002, Max: 5}, false)},
		{"ece", h.charts(summary, "ece", figures.Axis{Label: "calibration error", Log: true, Min: 0.001, Max: 1}, false)},
	}
	if len(h.Maps) == 0 {
		return out
	}
	maps, train := find(tables, "maps"), find(tables, "train")
	for i, task := range h.Tasks {
		out = append(out, Figure{"maps_" + task.Name, h.maps(i, maps.where("task", task.Name), train.where("task", task.Name))})
	}
	return out
}

// charts returns a column of the summary against the examples seen, with the
// best value that is possible where that is known.
func (h *hidden) charts(summary frame, column string, y figures.Axis, best bool) *figures.Figure {
	var charts []figures.Chart
	for i, task := range h.Tasks {
		chart := figures.Chart{Title: h.described(i), X: figures.Axis{Label: "examples seen", Log: true}, Y: y}
		rows := summary.where("task", task.Name)
		for _, variant := range h.Variants {
			r := rows.where("variant", variant.Name)
			chart.Curves = append(chart.Curves, figures.Curve{
				Name: variant.Name, Style: figures.Line,
				X: r.floats("seen"), Y: r.floats(column), Low: r.floats(column + "_low"), High: r.floats(column + "_high"),
			})
		}
		if seen := rows.floats("seen"); best && len(seen) > 0 {
			chart.Curves = append(chart.Curves, figures.Curve{
				Name: "Bayes", Style: figures.Reference,
				X: []float64{seen[0], largest(seen)}, Y: []float64{h.best(i), h.best(i)},
			})
		}
		charts = append(charts, chart)
	}
	return figures.Charts(slices.Collect(slices.Chunk(charts, 3)))
}

// fastMomentError bounds the error of the moments of the fast setting of
// [softmax.Exact].
const fastMomentError = 1e-8

// snapWithin moves values that are outside the scale by no more than an error to
// its ends.
func snapWithin(z []float64, s figures.Scale, err float64) {
	for i, x := range z {
		switch {
		case x < s.Min && x >= s.Min-err:
			z[i] = s.Min
		case x > s.Max && x <= s.Max+err:
			z[i] = s.Max
		}
	}
}

// mappedPoints is the number of training examples on the map of the means.
const mappedPoints = 60

// maps returns the maps of a task: the mean of class one, the sum of the variances
// of all classes, and the entropy. The variances are those of the softmax: the
// probit's are negative where the logits are far apart and nearly certain.
func (h *hidden) maps(task int, maps, train frame) *figures.Figure {
	law := h.Tasks[task].Data.Task()
	region := law.Region()
	top := math.Log(float64(law.Classes()))
	var rows []figures.Row
	for _, q := range []struct {
		column string
		scale  figures.Scale
	}{
		{"p1", figures.Scale{Label: "$μ(y₁)$, probability", Max: 1}},
		{"variance_exact", figures.Scale{Label: "$Σ_jσ²(y_j)$", Max: largest(maps.floats("variance_exact"))}},
		{"entropy", figures.Scale{Label: "entropy, nats", Max: top}},
	} {
		if !(q.scale.Max > 0) {
			q.scale.Max = 1
		}
		row := figures.Row{Scale: q.scale}
		for _, name := range h.Maps {
			m := figures.Map{
				Title: name, X: region.Axis(0, h.Grid), Y: region.Axis(1, h.Grid),
				Z: maps.where("variant", name).floats(q.column),
			}
			if q.column == "p1" {
				m.Points = points(train, min(mappedPoints, len(train.Rows)))
			}
			snapWithin(m.Z, q.scale, float64(2*law.Classes()+1)*fastMomentError)
			row.Maps = append(row.Maps, m)
		}
		rows = append(rows, row)
	}
	labels := figures.Labels{}
	for j := range law.Classes() {
		labels.Classes = append(labels.Classes, fmt.Sprintf("class %d", j+1))
	}
	return figures.Page(rows, labels)
}
