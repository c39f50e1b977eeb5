package moments

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"closedform/baselines/montecarlo"
	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/runner/internal/approx"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Measure implements [study.Timed]: the time of p, Σ_y and Σ_zy by each method, at
// the middle spread and variance of the manifest.
func (e *experiment) Measure(ctx context.Context, _ table.Set) (table.Set, error) {
	t := table.New("timing_cost",
		table.Int("classes", "number of classes n"), table.Text("method", "the approximation"), table.Num("ns", "time of p, Σ_y and Σ_zy, in nanoseconds"))
	for _, n := range e.Moments.Classes {
		problems := approx.Problems{Classes: n, Spread: middle(e.Moments.Spread), Variance: middle(e.Moments.Variance), Unequal: e.Moments.Unequal}
		z, m := problems.Draw(rand.New(study.Stream(e.name, e.seed, "cost", n))), approx.NewMoments(n)
		measure := func(name string, a softmax.Approximation) error {
			ns, err := cost(ctx, func() { m.Compute(a, z) })
			t.Add(n, name, ns)
			return err
		}
		for _, method := range e.Moments.Methods {
			if err := measure(string(method), method.Of(n)); err != nil {
				return nil, err
			}
		}
		for _, samples := range e.Moments.Samples {
			if err := measure(monteCarlo(samples), montecarlo.Softmax{Samples: samples, Source: random.Source("cost")}); err != nil {
				return nil, err
			}
		}
	}
	return table.Set{t}, nil
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
