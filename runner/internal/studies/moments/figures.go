package moments

import (
	"fmt"
	"math"
	"slices"

	"closedform/figures"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// perChart is the number of methods in a chart.
const perChart = 5

// Figures are the errors of p, Σ_y and Σ_zy against the variance, a page for each
// spread of the means with a row for every few methods; and the error of p against its
// cost. All have a chart for each number of classes.
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
	return append(out, study.Figure{Name: "timing_pareto", Needs: []string{"errors", "timing_cost"}, Draw: func(t table.Set) (*figures.Figure, error) {
		var all []figures.Chart
		for _, n := range e.Moments.Classes {
			all = append(all, e.pareto(t, n))
		}
		return figures.Charts(slices.Collect(slices.Chunk(all, 3))), nil
	}})
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
	add := func(name, method string, group int, kind figures.Kind) {
		r := rows.Where("method", method)
		if y := r.Nums(column); slices.ContainsFunc(y, func(x float64) bool { return !math.IsNaN(x) }) {
			out = append(out, figures.Curve{Name: name, Group: group, Kind: kind, X: r.Nums("variance"), Y: y})
		}
	}
	for i, m := range e.Moments.Methods {
		if m != "exact" && m != "exact-fast" {
			add(m.Label(), string(m), group(i), figures.Marked)
		}
	}
	if len(e.Moments.Samples) > 0 {
		most := slices.Max(e.Moments.Samples)
		add(fmt.Sprintf("Monte Carlo, %d samples", most), monteCarlo(most), 0, figures.Reference)
	}
	return out
}

// group gives an approximation, by its place in the manifest, one colour in all figures.
func group(i int) int { return 1 + i%figures.Groups }

// pareto returns the error of p against its cost for n classes, without those of the
// exact integrals, which are far below.
func (e *experiment) pareto(t table.Set, n int) figures.Chart {
	spread, variance := middle(e.Moments.Spread), middle(e.Moments.Variance)
	rows := t.Get("errors").Where("spread", spread).Where("variance", variance).Where("classes", n)
	times := t.Get("timing_cost").Where("classes", n)
	chart := figures.Chart{
		Title: fmt.Sprintf("$n$ = %d, spread %g, $v$ = %g", n, spread, variance),
		X:     figures.Axis{Label: "time of $p$, $Σ_y$ and $Σ_{zy}$, μs", Log: true},
		Y:     figures.Axis{Label: "total variation of $p$", Log: true},
	}
	add := func(c *figures.Curve, method string) {
		c.X = append(c.X, times.Where("method", method).Nums("ns")[0]/1000)
		c.Y = append(c.Y, rows.Where("method", method).Nums("tv")[0])
	}
	for i, m := range e.Moments.Methods {
		if m == "exact" || m == "exact-fast" {
			continue
		}
		c := figures.Curve{Name: m.Label(), Group: group(i), Kind: figures.Scatter}
		add(&c, string(m))
		chart.Curves = append(chart.Curves, c)
	}
	sampling := figures.Curve{Name: "Monte Carlo", Group: group(len(e.Moments.Methods))}
	for _, samples := range e.Moments.Samples {
		add(&sampling, monteCarlo(samples))
	}
	chart.Curves = append(chart.Curves, sampling)
	return chart
}
