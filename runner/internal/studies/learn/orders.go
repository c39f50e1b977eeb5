package learn

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"closedform/runner/dataset"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/table"
)

// Order is the order in which the examples of a pass are learned.
type Order string

const (
	Shuffled Order = "shuffled" // at random, anew for each pass; of a generator as drawn in the first
	Given    Order = "given"    // as in the files
	Sorted   Order = "sorted"   // one class after another
	Blocks   Order = "blocks"   // five parts of each class, the parts in a random order
	Drift    Order = "drift"    // each class is frequent for a while
	Repeated Order = "repeated" // the same examples in several orders, by as many networks
)

var orders = map[Order]func(*dataset.Examples, rand.Source) []int{
	Shuffled: learner.Shuffled, Given: nil, Repeated: nil,
	// Class-incremental learning (van de Ven and Tolias, "Three scenarios for continual learning", arXiv
	// 1904.07734, 2019).
	Sorted: sorted(1, func(place []int, _ *rand.Rand) float64 { return float64(place[0]) }),
	Blocks: sorted(5, func(place []int, rnd *rand.Rand) float64 { return float64(place[rnd.IntN(5)]) }),
	// The noise is triangular, from 0 to four places.
	Drift: sorted(1, func(place []int, rnd *rand.Rand) float64 {
		return float64(place[0]) + 2*(rnd.Float64()+rnd.Float64())
	}),
}

// sorted sorts the shuffled order stably by the key of an example: the parts of its class have places in a
// random order of the parts of all classes.
func sorted(
	parts int, key func(place []int, rnd *rand.Rand) float64,
) func(*dataset.Examples, rand.Source) []int {
	return func(e *dataset.Examples, src rand.Source) []int {
		rnd := rand.New(src)
		order, place := rnd.Perm(e.Len()), rnd.Perm(parts*len(e.Classes()))
		keys := make([]float64, len(order))
		for _, i := range order {
			keys[i] = key(place[parts*e.Class(i):], rnd)
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
		return order
	}
}

// pairs compares networks with the same prior. A training set of size N is the first N examples, in the order
// from the stream "permutation", r; other training sets are from the stream "sample", r.
func (s spec) pairs(ctx context.Context, train, test *dataset.Examples) (table.Set, error) {
	columns, key := s.key()
	t := table.New("pairs", append(columns,
		table.Int("seen", "examples of the training set"),
		table.Text("differ_by", "networks differ by the order of the same examples, or by the sample of examples"),
		table.Share("tv", "total variation of two networks, mean over all pairs and the test inputs"),
		table.Share("error", "share of wrong answers, mean over the networks"),
		table.Positive("log_loss", "mean over the networks, in nats"),
		table.Share("failed", "share of the networks that broke down"))...)
	for _, size := range s.Evaluate.Snapshots {
		if size > train.Len() {
			break
		}
		for _, by := range []string{"order", "sample"} {
			var networks []*learner.Result
			for r := range map[string]int{"order": s.Evaluate.Orders, "sample": s.Evaluate.Resamples}[by] {
				examples := s.draw(size, "sample", r+1)
				if by == "order" {
					examples = train.Subset(rand.New(s.Stream("permutation", r+1)).Perm(size))
				}
				network, err := s.training().Run(ctx, s.Method, examples, test)
				if err != nil {
					return nil, err
				}
				networks = append(networks, network)
			}
			t.Add(key, size, by, comparePairs(networks))
		}
	}
	return table.Set{t}, nil
}

func comparePairs(networks []*learner.Result) []float64 {
	var wrong, loss []float64
	failed, n := 0.0, float64(len(networks))
	tv := make([]float64, len(networks[0].P)) // at an input, mean over the pairs
	for a, r := range networks {
		wrong, loss = append(wrong, metric.Error(r.P, r.Class)), append(loss, metric.LogLoss(r.P, r.Class))
		if r.Err != nil {
			failed++
		}
		for _, other := range networks[:a] {
			for i := range tv {
				tv[i] += metric.TotalVariation(r.P[i], other.P[i]) / (n * (n - 1) / 2)
			}
		}
	}
	return []float64{table.Mean(tv), table.Mean(wrong), table.Mean(loss), failed / n}
}
