package moments

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"closedform/figures"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// perChart is the number of methods in a chart.
const perChart = 5

// Figures are the errors of p, Σ_y and Σ_zy against the variance, a page for each spread of the means,
// with a column of charts for each number of classes and a row for every few methods.
func (e *experiment) Figures() (out []study.Figure) {
	for _, q := range []struct{ column, label string }{
		{"tv", "total variation of $p$"},
		{"cov_error", "relative error of $Σ_y$"},
		{"cross_error", "relative error of $Σ_{zy}$"},
	} {
		for _, spread := range e.Moments.Spread {
			name := fmt.Sprintf("%s_spread_%s", q.column, table.Format(spread))
			out = append(out, study.Drawing(name, "errors", func(errors *table.Table) *figures.Figure {
				return e.charts(errors.Where("spread", spread), q.column, q.label)
			}))
		}
	}
	return out
}

// charts draws a column against the variance, a column of charts for each number of classes.
func (e *experiment) charts(errors *table.Table, column, label string) *figures.Figure {
	var rows [][]figures.Chart
	for _, n := range e.Moments.Classes {
		chart := figures.Chart{
			Title: fmt.Sprintf("$n$ = %d", n), Curves: e.curves(errors.Where("classes", n), column),
			X: figures.Axis{Label: "variance $v$", Log: true},
			Y: figures.Axis{Label: label, Log: true, Min: 1e-4, Max: 10}, // on all pages
		}
		for i, c := range chart.Split(perChart) {
			if i == len(rows) {
				rows = append(rows, nil)
			}
			rows[i] = append(rows[i], c)
		}
	}
	return figures.Charts(rows)
}

// curves returns a column against the variance, a curve for each method that gives
// it. The exact integrals are left out: they are below the axis everywhere.
func (e *experiment) curves(rows *table.Table, column string) (out []figures.Curve) {
	add := func(method string, group int, kind figures.Kind) {
		r := rows.Where("method", method)
		if y := r.Nums(column); slices.ContainsFunc(y, func(x float64) bool { return !math.IsNaN(x) }) {
			out = append(out, figures.Curve{Name: strings.ReplaceAll(method, "-", " "), Group: group, Kind: kind, X: r.Nums("variance"), Y: y})
		}
	}
	for i, m := range e.Moments.Methods {
		if m != "exact" && m != "exact-fast" {
			add(string(m), 1+i%figures.Groups, figures.Marked)
		}
	}
	if len(e.Moments.Samples) > 0 {
		add(monteCarlo(slices.Max(e.Moments.Samples)), 0, figures.Reference)
	}
	return out
}
