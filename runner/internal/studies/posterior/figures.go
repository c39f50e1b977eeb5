package posterior

import (
	"fmt"
	"slices"

	"closedform/figures"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/plots"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures has the charts distance, of the distance from the exact posterior against the number of examples
// for each task, and the maps maps_K of each mapped snapshot K.
func (e *experiment) Figures() []study.Figure {
	out := []study.Figure{plots.Drawing("distance", "curve_summary", e.distance)}
	for _, k := range e.Posterior.Mapped {
		out = append(out, study.Figure{
			Name: fmt.Sprintf("maps_%d", k), Needs: []string{"maps", "examples"},
			Draw: func(tables table.Tables) *figures.Figure {
				return e.drawMaps(tables.Get("maps").Where("k", k), tables.Get("examples"), k)
			},
		})
	}
	return out
}

func (e *experiment) legend() plots.Legend {
	l := plots.NewLegend(e.Methods)
	l[joint[0]] = learner.Method{Label: "one Gaussian, probit", Group: "one"}
	l[joint[1]] = learner.Method{Label: "one Gaussian, exact", Group: "one"}
	l[probitName] = learner.Method{Label: "exact posterior of the probit", Group: "exact"}
	l["perceptron-huber"] = learner.Method{Label: "Huber's perceptron"}
	for _, name := range e.Posterior.Softmax {
		l[name+softmaxSuffix] = learner.Method{Label: l.Label(name) + ", softmax predictive", Group: "sgd"}
	}
	return l
}

// distance draws the chosen methods, equal probabilities, and the noise of the exact posterior.
func (e *experiment) distance(means *table.Table) *figures.Figure {
	var charts []figures.Chart
	for _, summary := range means.GroupBy("task") {
		uniform := plots.Curve(summary.Where("method", uniformName), "equal probabilities", "k", "tv")
		noise := plots.Curve(summary.Where("method", exactName), "sampling noise of exact", "k", "tv_noise")
		uniform.Kind, noise.Kind = figures.Reference, figures.Reference
		methods := summary.Distinct("method") // the exact posterior first, equal probabilities last
		curves := e.legend().Curves(summary, e.Chosen.Among(methods[1:len(methods)-1]), "k", "tv")
		task := summary.Texts("task")[0]
		charts = append(charts, figures.Chart{
			Title: task, X: figures.Axis{Label: "examples seen", Log: true, Scope: task},
			Y:      figures.Axis{Label: "total variation from exact", Log: true},
			Curves: append([]figures.Curve{uniform, noise}, curves...),
		})
	}
	return figures.Charts(slices.Collect(slices.Chunk(charts, 3)))
}

// drawMaps draws a row of maps after k examples for every class but the last, the exact posterior leftmost.
// At most 100 examples are shown: more would cover the maps.
func (e *experiment) drawMaps(maps, examples *table.Table, k int) *figures.Figure {
	task := e.Data.Task()
	var labels figures.Labels
	var points [][]float64
	var classes []int
	if k <= 100 {
		labels.Classes = task.Classes
		for i, class := range examples.Nums("class")[:k] {
			points = append(points, []float64{examples.Nums("x1")[i], examples.Nums("x2")[i]})
			classes = append(classes, int(class))
		}
	}
	grid := task.Region.Grid(mapGrid)
	var rows []figures.Row
	for j := 1; j < task.Classes; j++ {
		row := figures.Row{Scale: figures.Axis{Label: fmt.Sprintf("$p_%d$, probability", j), Max: 1}}
		for _, name := range append([]string{exactName}, e.Posterior.Maps...) {
			row.Maps = append(row.Maps, figures.Map{
				Title: e.legend().Label(name), X: grid.X, Y: grid.Y, Curves: plots.Boundary(task.Boundary),
				Points: points, Class: classes, Z: maps.Where("method", name).Nums(fmt.Sprintf("p%d", j)),
			})
		}
		rows = append(rows, row)
	}
	return figures.Maps(rows, labels)
}
