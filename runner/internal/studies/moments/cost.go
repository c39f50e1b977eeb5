package moments

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"closedform/core/random"
	"closedform/runner/internal/approx"
	"closedform/runner/internal/table"
)

// Measure implements [study.Timed]: the time of p, Σ_y and Σ_zy by each method, at
// the middle spread and variance of the manifest.
func (e *experiment) Measure(ctx context.Context, _ table.Set) (table.Set, error) {
	t := table.New("timing_cost",
		table.Int("classes", "number of classes n"), table.Text("method", "the approximation"), table.Num("ns", "time of p, Σ_y and Σ_zy, in nanoseconds"))
	for _, n := range e.Moments.Classes {
		s := spec{Methods: e.Moments.Methods, Samples: e.Moments.Samples}
		s.Problems = approx.Problems{Classes: n, Spread: middle(e.Moments.Spread), Variance: middle(e.Moments.Variance), Unequal: e.Moments.Unequal}
		z, m := s.Problems.Draw(rand.New(e.seeded.Stream("cost", n))), approx.NewMoments(n)
		for _, method := range s.methods(func(int) rand.Source { return random.Source("cost") }) {
			ns, err := cost(ctx, func() { m.Compute(method.of, z) })
			if err != nil {
				return nil, err
			}
			t.Add(n, method.name, ns)
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
