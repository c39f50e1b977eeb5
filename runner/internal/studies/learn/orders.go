package learn

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"closedform/runner/dataset"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/table"
)

// Order is the order in which the examples of a pass are learned.
type Order string

// The orders of a stream.
const (
	Shuffled Order = "shuffled" // at random, anew for each pass; of a generator as drawn in the first
	Given    Order = "given"    // as in the files
	Sorted   Order = "sorted"   // one class after another
	Blocks   Order = "blocks"   // five parts of each class, the parts in a random order
	Drift    Order = "drift"    // each class is frequent for a while
	Repeated Order = "repeated" // the same examples in several orders, by as many networks
)

var orders = map[Order]func(*dataset.Examples, rand.Source) []int{
	Shuffled: learner.Shuffled, Given: nil, Repeated: nil, Sorted: byClass, Blocks: blocks, Drift: drift,
}

// byClass sorts the shuffled order stably by class, with classes in random order: class-incremental learning
// (van de Ven and Tolias, "Three scenarios for continual learning", arXiv 1904.07734, 2019).
func byClass(e *dataset.Examples, src rand.Source) []int {
	rnd := rand.New(src)
	order, place := rnd.Perm(e.Len()), rnd.Perm(len(e.Classes()))
	return sortBy(order, func(i int) float64 { return float64(place[e.Class(i)]) })
}

// blocks sorts the shuffled order stably by parts of classes; each example is in a random part.
func blocks(e *dataset.Examples, src rand.Source) []int {
	const parts = 5
	rnd := rand.New(src)
	order, place := rnd.Perm(e.Len()), rnd.Perm(parts*len(e.Classes()))
	return sortBy(order, func(i int) float64 { return float64(place[parts*e.Class(i)+rnd.IntN(parts)]) })
}

// drift sorts by the place of the class in a random order, plus a triangular number from 0 to four places.
func drift(e *dataset.Examples, src rand.Source) []int {
	rnd := rand.New(src)
	order, place := rnd.Perm(e.Len()), rnd.Perm(len(e.Classes()))
	return sortBy(order, func(i int) float64 {
		return float64(place[e.Class(i)]) + 2*(rnd.Float64()+rnd.Float64())
	})
}

func sortBy(order []int, key func(i int) float64) []int {
	keys := make([]float64, len(order))
	for _, i := range order {
		keys[i] = key(i)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
	return order
}

// Networks differ by the order of one training set, or by their training sets.
const (
	byOrder  = "order"
	bySample = "sample"
)

// pairs compares networks with the same prior. A training set of size N is the first N examples, in the order
// from the stream "permutation", r; other training sets are from the stream "sample", r.
func (s spec) pairs(ctx context.Context, train, test *dataset.Examples) (table.Set, error) {
	columns, key := s.key()
	t := table.New("pairs", append(columns,
		table.Int("seen", "examples of the training set"),
		table.Text("differ_by", "networks differ by the order of the same examples, or by the sample of examples"),
		table.Share("tv", "total variation of two networks, mean over all pairs and the test inputs"),
		table.Share("error", "share of wrong answers, mean over the networks"),
		table.Positive("error_sd", "standard deviation over the networks"),
		table.Positive("log_loss", "mean over the networks, in nats"),
		table.Share("failed", "share of the networks that broke down"))...)
	for _, size := range s.Evaluate.Snapshots {
		if size > train.Len() {
			break
		}
		sets := map[string][]*dataset.Examples{}
		for r := range s.Evaluate.Orders {
			order := rand.New(s.Stream("permutation", r+1)).Perm(size)
			sets[byOrder] = append(sets[byOrder], train.Subset(order))
		}
		for r := range s.Evaluate.Resamples {
			sets[bySample] = append(sets[bySample], s.draw(size, "sample", r+1))
		}
		for _, by := range []string{byOrder, bySample} {
			var networks []*learner.Result
			for _, examples := range sets[by] {
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
	var wrong, loss, failed []float64
	tv := make([]float64, len(networks[0].P)) // at an input, mean over the pairs
	for a, r := range networks {
		scores, broken := learner.Scores(r.P, r.Class), 0.0
		if r.Err != nil {
			broken = 1
		}
		wrong, loss, failed = append(wrong, scores[0]), append(loss, scores[1]), append(failed, broken)
		for _, other := range networks[:a] {
			for i := range tv {
				pairs := float64(len(networks)*(len(networks)-1)) / 2
				tv[i] += metric.TotalVariation(r.P[i], other.P[i]) / pairs
			}
		}
	}
	mean, variance := table.MeanVariance(wrong)
	return []float64{table.Mean(tv), mean, math.Sqrt(variance), table.Mean(loss), table.Mean(failed)}
}
