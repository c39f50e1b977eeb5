package study

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	figures "closedform/runner/internal/oldfigures"
	"closedform/runner/internal/store"
)

// momentsQuantities are the columns that are drawn against the variance.
var momentsQuantities = []struct{ column, label string }{
	{"tv", "total variation of $p$"},
	{"cov_error", "relative error of $Σ_y$"},
	{"cross_error", "relative error of $Σ_{zy}$"},
}

// figures draws the error against the variance, a page for each quantity and
// spread of the means with a chart for each number of classes. The axes are the
// same on all pages; the legend counts the points that are beyond.
func (s *moments) figures(errors frame) []Figure {
	p := s.m.Moments
	var out []Figure
	for _, q := range momentsQuantities {
		for _, spread := range p.Spread {
			rows := errors.where("spread", store.Float(spread))
			var charts []figures.Chart
			for _, n := range p.Classes {
				charts = append(charts, figures.Chart{
					Title:  fmt.Sprintf("$n$ = %d", n),
					X:      figures.Axis{Label: "variance $v$ of a logit", Log: true},
					Y:      figures.Axis{Label: q.label, Log: true, Min: 1e-4, Max: 10},
					Curves: s.curves(rows.where("classes", strconv.Itoa(n)), q.column),
				})
			}
			name := fmt.Sprintf("%s_spread_%s", q.column, store.Float(spread))
			out = append(out, Figure{name, figures.Charts(slices.Collect(slices.Chunk(charts, 3)))})
		}
	}
	return out
}

// curves returns a column against the variance, a curve for each method that
// has one. The fast integrals are left out: they are below the axis everywhere.
func (s *moments) curves(rows frame, column string) []figures.Curve {
	var out []figures.Curve
	for _, name := range s.drawn() {
		r := rows.where("method", name)
		y := r.floats(column)
		if !slices.ContainsFunc(y, func(x float64) bool { return !math.IsNaN(x) }) {
			name += ": not given" // The entry keeps the looks of the others the same in all figures.
		}
		out = append(out, figures.Curve{Name: name, X: r.floats("variance"), Y: y})
	}
	return out
}

// drawn lists the methods of the charts.
func (s *moments) drawn() []string {
	var names []string
	for _, name := range s.m.Moments.Methods {
		if name != "exact" && name != "exact-fast" {
			names = append(names, name)
		}
	}
	if samples := s.m.Moments.Samples; len(samples) > 0 {
		names = append(names, monteCarloMethod(slices.Max(samples)))
	}
	return names
}
