package study

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"closedform/baselines/montecarlo"
	"closedform/core/random"
	"closedform/core/softmax"
	figures "closedform/runner/internal/oldfigures"
	"closedform/runner/internal/store"
)

var _ Timed = (*moments)(nil)

// Measure implements [Timed]: the time of p, Σ_y and Σ_zy by each method, and
// the error against it, at the middle spread and variance of the manifest.
func (s *moments) Measure(ctx context.Context, tables []store.Table) (Report, error) {
	p := s.m.Moments
	t := store.Table{Name: "timing_cost", Header: []string{"classes", "method", "ns"}}
	spread, variance := middle(p.Spread), middle(p.Variance)
	for _, n := range p.Classes {
		rnd := rand.New(random.Source(s.m.Name, s.m.Seed, "cost", n))
		z := drawLogits(n, spread, variance, p.Unequal, rnd)
		m := newFullMoments(n)
		measure := func(name string, a softmax.Approximation) error {
			ns, err := cost(ctx, func() { m.compute(a, z) })
			t.Rows = append(t.Rows, []string{strconv.Itoa(n), name, store.Float(ns)})
			return err
		}
		for _, name := range p.Methods {
			if err := measure(name, methods[name](n)); err != nil {
				return Report{}, err
			}
		}
		for _, samples := range p.Samples {
			if err := measure(monteCarloMethod(samples), montecarlo.Softmax{Samples: samples, Source: random.Source("cost")}); err != nil {
				return Report{}, err
			}
		}
	}
	errors := find(tables, "errors").where("spread", store.Float(spread)).where("variance", store.Float(variance))
	problem := fmt.Sprintf("spread %g, $v$ = %g", spread, variance)
	return Report{Tables: []store.Table{t}, Figures: []Figure{
		{"timing_pareto", s.pareto(errors, frame{&t}, problem, figures.Axis{})},
		{"timing_pareto_close", s.pareto(errors, frame{&t}, problem, figures.Axis{Min: 1e-3, Max: 1})},
	}}, nil
}

// middle returns the middle of x in ascending order, the upper of two.
func middle(x []float64) float64 { return slices.Sorted(slices.Values(x))[len(x)/2] }

// cost returns the median time of f in nanoseconds over several batches.
func cost(ctx context.Context, f func()) (float64, error) {
	const (
		batches = 5
		enough  = 4 * time.Millisecond // of a batch, for the clock
	)
	run := func(count int) time.Duration {
		begin := time.Now()
		for range count {
			f()
		}
		return time.Since(begin)
	}
	run(1) // fills tables and caches
	count := 1
	for run(count) < enough {
		count *= 2
	}
	var ns []float64
	for range batches {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		ns = append(ns, float64(run(count).Nanoseconds())/float64(count))
	}
	slices.Sort(ns)
	return ns[batches/2], nil
}

// pareto draws error against cost, a chart for each number of classes, over a
// range of errors or, by default, all of them.
func (s *moments) pareto(errors, costs frame, problem string, y figures.Axis) *figures.Figure {
	y.Label, y.Log = "total variation of $p$", true
	var charts []figures.Chart
	for _, n := range s.m.Moments.Classes {
		rows, times := errors.where("classes", strconv.Itoa(n)), costs.where("classes", strconv.Itoa(n))
		curve := func(name string, style figures.Style, methods ...string) figures.Curve {
			c := figures.Curve{Name: name, Style: style}
			for _, m := range methods {
				c.X = append(c.X, times.where("method", m).floats("ns")[0]/1000)
				c.Y = append(c.Y, rows.where("method", m).floats("tv")[0])
			}
			return c
		}
		chart := figures.Chart{
			Title: fmt.Sprintf("$n$ = %d, %s", n, problem),
			X:     figures.Axis{Label: "time of $p$, $Σ_y$ and $Σ_{zy}$, μs", Log: true},
			Y:     y,
		}
		for _, name := range s.m.Moments.Methods {
			chart.Curves = append(chart.Curves, curve(name, figures.Scatter, name))
		}
		var sampling []string
		for _, samples := range s.m.Moments.Samples {
			sampling = append(sampling, monteCarloMethod(samples))
		}
		chart.Curves = append(chart.Curves, curve("monte-carlo", figures.Marked, sampling...))
		charts = append(charts, chart)
	}
	return figures.Charts(slices.Collect(slices.Chunk(charts, 3)))
}
