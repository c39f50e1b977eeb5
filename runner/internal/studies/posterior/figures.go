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
	distance := plots.Drawing("distance", "curve_summary", e.distance)
	distance.Caption = "Total variation of predictions from those of the exact posterior, as the number of examples " +
		"grows. *Marginal* and *differences* keep independent weights for each class, with the variances of the " +
		"logits or those that fit their differences; *one Gaussian* has all covariances. The likelihood is the " +
		"probit or the *exact* softmax."
	out := []study.Figure{distance}
	for _, k := range e.Posterior.Mapped {
		out = append(out, study.Figure{
			Name: fmt.Sprintf("maps_%d", k), Needs: []string{"maps", "examples"},
			Caption: fmt.Sprintf("Probabilities of the classes after %d examples, of the exact posterior on the left "+
				"and of other methods. Lines are the true boundaries, points the examples, if at most 100.", k),
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

// distance draws the chosen methods, the first task last.
func (e *experiment) distance(means *table.Table) *figures.Figure {
	var charts []figures.Chart
	tasks := means.GroupBy("task")
	for _, summary := range append(tasks[1:], tasks[0]) {
		methods := summary.Distinct("method") // the exact posterior first, equal probabilities last
		curves := e.legend().Curves(summary, e.Chosen.Among(methods[1:len(methods)-1]), "k", "tv")
		for i := range curves {
			curves[i].Group = i + 1 // colours come in pairs, as do filters with the probit and the softmax
		}
		task := summary.Texts("task")[0]
		charts = append(charts, figures.Chart{
			Title: task, X: figures.Axis{Label: "examples seen", Log: true, Scope: task},
			Y:      figures.Axis{Label: "total variation", Log: true},
			Curves: curves,
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
