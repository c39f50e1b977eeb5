package learn

import (
	"context"
	"math/rand/v2"

	"closedform/runner/dataset"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/table"
)

// Networks differ by the order of one training set, or by their training sets.
const (
	byOrder  = "order"
	bySample = "sample"
)

// pairs compares networks with the same prior. A training set of size N is the first N examples, in the order
// from the stream "permutation", r; another training set is from the stream "sample", r.
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

// comparePairs says how far networks are apart at the test inputs, and how good they are.
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
	mean, sd := table.MeanSD(wrong)
	return []float64{table.Mean(tv), mean, sd, table.Mean(loss), table.Mean(failed)}
}
