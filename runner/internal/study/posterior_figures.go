package study

import (
	"fmt"
	"math"
	"strconv"

	figures "closedform/runner/internal/oldfigures"
	"closedform/runner/internal/dataset"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/store"
)

// figures draws, from the tables alone: "distance" from the exact posterior and
// "scores" against the examples seen, means with intervals over the seeds; and for
// each snapshot that is mapped the page "maps_K", with a row for every class but
// the last and the exact posterior to the left of the others. There is no interval
// where it reaches down to 0, which has no place on a logarithmic axis, and neither
// interval nor point where the mean is infinite.
func (s *posteriorStudy) figures(tables []store.Table) []Figure {
	summary := find(tables, "summary")
	chart := func(column, label string, exact bool) figures.Chart {
		return figures.Chart{
			X:      figures.Axis{Label: "examples seen", Log: true},
			Y:      figures.Axis{Label: label, Log: true},
			Curves: s.curves(summary, column, exact),
		}
	}
	out := []Figure{
		{"distance", figures.Charts([][]figures.Chart{{
			chart("tv", "total variation from exact", false),
			chart("kl", "KL(exact $‖$ rule), nats", false),
		}})},
		{"scores", figures.Charts([][]figures.Chart{{
			chart("excess_error", "excess error rate", true),
			chart("excess_log_loss", "excess log loss, nats", true),
			chart("ece", "calibration error", true),
		}})},
	}
	for _, k := range s.Mapped {
		out = append(out, Figure{fmt.Sprintf("maps_%d", k), s.page(find(tables, "maps"), find(tables, "train"), k)})
	}
	return out
}

// curves returns a column of the summary against the examples seen, a curve for
// each that learns. Beside them are that of equal probabilities and the score of
// the exact answer if exact is true, else its noise.
func (s *posteriorStudy) curves(summary frame, column string, exact bool) []figures.Curve {
	spec := posteriorSpec{Models: s.Models(), Perceptrons: s.Perceptrons}
	var out []figures.Curve
	for _, name := range spec.names() {
		t := summary.where("variant", name)
		c := figures.Curve{Name: name, Style: figures.Marked, X: t.floats("k"), Y: t.floats(column)}
		if share, ok := infiniteShare[column]; ok {
			for i, x := range t.floats(share) {
				if x > 0 {
					c.Y[i] = math.Inf(1)
				}
			}
		}
		switch {
		case name == manifest.Uniform:
			c.Name, c.Style = "equal probabilities", figures.Reference
		case name == manifest.Exact && column == "kl":
			continue // The noise is so far below all others that the axis would be its.
		case name == manifest.Exact && !exact:
			c.Name, c.Style, c.Y = "noise of the exact answer", figures.Line, t.floats(column+"_noise")
		default:
			c.Low, c.High = t.floats(column+"_low"), t.floats(column+"_high")
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

// mostPoints is how many examples a map can show and still be seen.
const mostPoints = 100

// page draws the maps after k examples.
func (s *posteriorStudy) page(maps, train frame, k int) *figures.Figure {
	var labels figures.Labels
	for j := range s.Data.Task().Classes() {
		if k > mostPoints {
			break // There is no marker to explain.
		}
		labels.Classes = append(labels.Classes, fmt.Sprintf("class %d", j+1))
	}
	return figures.Page(s.rows(maps, train, k), labels)
}

// rows returns the maps after k examples, with the examples if they are few.
func (s *posteriorStudy) rows(maps, train frame, k int) []figures.Row {
	var seen []figures.Point
	if k <= mostPoints {
		seen = points(train, k)
	}
	task := s.Data.Task()
	var boundary []figures.Segment
	if g, err := dataset.Lookup(task.Name); err == nil { // else the boundary is not sharp
		for _, b := range g.Boundary {
			boundary = append(boundary, figures.Segment(b))
		}
	}
	axis := newPlane(task, s.MapGrid).axis
	var rows []figures.Row
	for j := range task.Classes() - 1 {
		row := figures.Row{Scale: figures.Scale{Label: fmt.Sprintf("$p%s$, probability", subscript(j+1)), Max: 1}}
		for _, name := range append([]string{manifest.Exact}, s.Maps...) {
			m := figures.Map{
				Title: name, X: axis, Y: axis, Boundary: boundary, Points: seen,
				Z: maps.where("variant", name).where("k", strconv.Itoa(k)).floats(fmt.Sprintf("p%d", j+1)),
			}
			snap(m.Z, row.Scale)
			row.Maps = append(row.Maps, m)
		}
		rows = append(rows, row)
	}
	return rows
}
