package posterior

import (
	"fmt"
	"math"

	"closedform/figures"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// perChart is the number of methods in a chart.
const perChart = 5

// Figures are "distance" from the exact posterior and "scores" against the examples
// seen, means with intervals over the seeds, and "distance_TASK" of the other tasks; and
// for each snapshot that is mapped the page "maps_K", with a row for every class but the
// last and the exact posterior to the left of the others.
func (e *experiment) Figures() []study.Figure {
	charts := func(name, task string, columns ...[2]string) study.Figure {
		return study.Drawing(name, "curve_summary", func(t *table.Table) *figures.Figure {
			var rows [][]figures.Chart
			for _, c := range columns {
				row := figures.Chart{
					X: figures.Axis{Label: "examples seen, methods beside each other", Log: true}, Y: figures.Axis{Label: c[1], Log: true},
					Curves: e.curves(t.Where("task", task), c[0]),
				}.Split(perChart)
				for i := range row {
					row[i].Curves = figures.Beside(row[i].Curves)
				}
				rows = append(rows, row)
			}
			return figures.Charts(rows)
		})
	}
	distance := [][2]string{{"tv", "total variation from exact"}, {"kl", "KL(exact $‖$ rule), nats"}}
	out := []study.Figure{
		charts("distance", e.Data.Name, distance...),
		charts("scores", e.Data.Name, [2]string{"excess_error", "excess error rate"}, [2]string{"excess_log_loss", "excess log loss, nats"}, [2]string{"ece", "calibration error"}),
	}
	for _, of := range e.Tasks {
		out = append(out, charts("distance_"+of.Name, of.Name, distance...))
	}
	for _, k := range e.Posterior.Mapped {
		out = append(out, study.Figure{Name: fmt.Sprintf("maps_%d", k), Needs: []string{"maps", "train"}, Draw: func(t table.Set) (*figures.Figure, error) {
			return e.page(t.Get("maps"), t.Get("train"), k), nil
		}})
	}
	return out
}

// legend returns that of the methods, and of one Gaussian over all weights.
func (e *experiment) legend() learner.Legend {
	l := learner.NewLegend(e.Methods)
	l[jointName] = learner.Drawn{Label: "ADF, exact, joint", Group: "one"}
	return l
}

// curves returns a column of the summary against the examples seen, a curve for each method, equal
// probabilities, and the exact answer, of distances its noise. There is no interval where it reaches
// down to 0, which has no place on a logarithmic axis, and neither interval nor point where the
// number of a seed is infinite.
func (e *experiment) curves(summary *table.Table, column string) (out []figures.Curve) {
	legend := e.legend()
	for _, name := range summary.Distinct("method") {
		t := summary.Where("method", name)
		c := figures.Curve{Name: legend.Label(name), Group: legend.Group(name), X: t.Nums("k"), Y: t.Nums(column)}
		if share := column + "_infinite"; t.Has(share) {
			for i, x := range t.Nums(share) {
				if x > 0 {
					c.Y[i] = math.Inf(1)
				}
			}
		}
		switch {
		case name == uniformName:
			c.Name, c.Kind = "equal probabilities", figures.Reference
		case name == exactName && column == "kl":
			continue // The noise is so far below all others that the axis would be its.
		case name == exactName && column == "tv":
			c.Name, c.Kind, c.Y = "noise of the exact answer", figures.Reference, t.Nums(column+"_noise")
		case name == exactName:
			c.Name, c.Kind = "exact answer", figures.Reference
		default:
			c.Low, c.High = t.Nums(column+"_low"), t.Nums(column+"_high")
			for i, low := range c.Low {
				if !(low > 0) || math.IsInf(c.Y[i], 0) {
					c.Low[i], c.High[i] = math.NaN(), math.NaN()
				}
			}
		}
		out = append(out, c)
	}
	return out
}

// page draws the maps after k examples, with the examples unless they would cover the maps.
func (e *experiment) page(maps, train *table.Table, k int) *figures.Figure {
	task := e.Data.Task()
	var labels figures.Labels
	var seen []figures.Point
	if k <= 100 {
		seen, labels.Classes = study.Points(train)[:k], study.Classes(task.Classes)
	}
	return figures.Maps(e.rows(task, maps.Where("k", k), seen), labels)
}

// rows returns a row of maps for every class but the last.
func (e *experiment) rows(task *data.Task, maps *table.Table, seen []figures.Point) []figures.Row {
	var boundary []figures.Segment
	for _, b := range task.Boundary {
		boundary = append(boundary, figures.Segment(b))
	}
	x, y := task.Region.Axis(0, e.Posterior.MapGrid), task.Region.Axis(1, e.Posterior.MapGrid)
	var rows []figures.Row
	for j := 1; j < task.Classes; j++ {
		row := figures.Row{Scale: figures.Axis{Label: fmt.Sprintf("$p_%d$, probability", j), Max: 1}}
		for _, name := range append([]string{exactName}, e.Posterior.Maps...) {
			z := maps.Where("method", name).Nums(fmt.Sprintf("p%d", j))
			row.Maps = append(row.Maps, figures.Map{Title: e.legend().Label(name), X: x, Y: y, Z: z, Boundary: boundary, Points: seen})
		}
		rows = append(rows, row)
	}
	return rows
}
