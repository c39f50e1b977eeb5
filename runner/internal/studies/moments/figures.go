package moments

import (
	"fmt"
	"math"
	"slices"

	"closedform/figures"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are the errors of p, Σ_y and Σ_zy against the variance, a page for each
// spread of the means; and the error of p against its cost, over all errors and
// over those of the closed forms. All have a chart for each number of classes.
func (e *experiment) Figures() []study.Figure {
	var out []study.Figure
	for _, q := range []struct{ column, label string }{
		{"tv", "total variation of $p$"},
		{"cov_error", "relative error of $Σ_y$"},
		{"cross_error", "relative error of $Σ_{zy}$"},
	} {
		for _, spread := range e.Moments.Spread {
			name := fmt.Sprintf("%s_spread_%s", q.column, table.Format(spread))
			out = append(out, study.Drawing(name, "errors", func(errors *table.Table) *figures.Figure {
				rows := errors.Where("spread", spread)
				return e.charts(func(n int) figures.Chart {
					return figures.Chart{
						Title: fmt.Sprintf("$n$ = %d", n), Curves: e.curves(rows.Where("classes", n), q.column),
						X: figures.Axis{Label: "variance $v$ of a logit", Log: true},
						Y: figures.Axis{Label: q.label, Log: true, Min: 1e-4, Max: 10}, // on all pages
					}
				})
			}))
		}
	}
	pareto := func(name string, y figures.Axis) study.Figure {
		return study.Figure{Name: name, Needs: []string{"errors", "timing_cost"}, Draw: func(t table.Set) (*figures.Figure, error) {
			return e.charts(func(n int) figures.Chart { return e.pareto(t, n, y) }), nil
		}}
	}
	const label = "total variation of $p$"
	return append(out,
		pareto("timing_pareto", figures.Axis{Label: label, Log: true}),
		pareto("timing_pareto_close", figures.Axis{Label: label, Log: true, Min: 1e-3, Max: 1}))
}

// charts draws a chart for each number of classes, three in a row.
func (e *experiment) charts(of func(n int) figures.Chart) *figures.Figure {
	var all []figures.Chart
	for _, n := range e.Moments.Classes {
		all = append(all, of(n))
	}
	return figures.Charts(slices.Collect(slices.Chunk(all, 3)))
}

// curves returns a column against the variance, a curve for each method that gives
// it. The exact integrals are left out: they are below the axis everywhere.
func (e *experiment) curves(rows *table.Table, column string) []figures.Curve {
	var out []figures.Curve
	add := func(name, method string) {
		r := rows.Where("method", method)
		if y := r.Nums(column); slices.ContainsFunc(y, func(x float64) bool { return !math.IsNaN(x) }) {
			out = append(out, figures.Curve{Name: name, X: r.Nums("variance"), Y: y})
		}
	}
	for _, m := range e.Moments.Methods {
		if m != "exact" && m != "exact-fast" {
			add(string(m), string(m))
		}
	}
	if len(e.Moments.Samples) > 0 {
		most := slices.Max(e.Moments.Samples)
		add(fmt.Sprintf("monte-carlo: %d samples", most), monteCarlo(most))
	}
	return out
}

// pareto returns the error of p against its cost for n classes.
func (e *experiment) pareto(t table.Set, n int, y figures.Axis) figures.Chart {
	spread, variance := middle(e.Moments.Spread), middle(e.Moments.Variance)
	rows := t.Get("errors").Where("spread", spread).Where("variance", variance).Where("classes", n)
	times := t.Get("timing_cost").Where("classes", n)
	chart := figures.Chart{
		Title: fmt.Sprintf("$n$ = %d, spread %g, $v$ = %g", n, spread, variance),
		X:     figures.Axis{Label: "time of $p$, $Σ_y$ and $Σ_{zy}$, μs", Log: true}, Y: y,
	}
	add := func(c *figures.Curve, method string) {
		c.X = append(c.X, times.Where("method", method).Nums("ns")[0]/1000)
		c.Y = append(c.Y, rows.Where("method", method).Nums("tv")[0])
	}
	for _, m := range e.Moments.Methods {
		c := figures.Curve{Name: string(m), Kind: figures.Scatter}
		add(&c, string(m))
		chart.Curves = append(chart.Curves, c)
	}
	sampling := figures.Curve{Name: "monte-carlo"}
	for _, samples := range e.Moments.Samples {
		add(&sampling, monteCarlo(samples))
	}
	chart.Curves = append(chart.Curves, sampling)
	return chart
}
