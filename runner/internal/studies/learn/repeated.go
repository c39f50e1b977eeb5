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
		table.Int("networks", "how many are compared"),
		table.Share("tv", "total variation of two networks, mean over all pairs and the test inputs"),
		table.Share("tv_max", "that of the two networks that are farthest apart"),
		table.Share("error", "share of wrong answers, mean over the networks"),
		table.Positive("error_sd", "standard deviation over the networks"),
		table.Positive("log_loss", "mean over the networks, in nats"),
		table.Positive("indefinite_steps", "mean over the networks"),
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
			t.Add(key, size, by, len(networks), comparePairs(networks))
		}
	}
	return table.Set{t}, nil
}

// comparePairs says how far networks are apart at the test inputs, and how good they are.
func comparePairs(networks []*learner.Result) []float64 {
	var p [][][]float64
	var wrong, loss []float64
	failed, indefinite, n := 0.0, 0.0, float64(len(networks))
	for _, r := range networks {
		scores, steps := learner.Scores(r.P, r.Class), r.Steps()
		p, wrong, loss = append(p, r.P), append(wrong, scores[0]), append(loss, scores[1])
		if steps.Failed {
			failed++
		}
		indefinite += float64(steps.Indefinite) / n
	}
	tv, largest := totalVariation(p)
	mean, sd := table.MeanSD(wrong)
	return []float64{tv, largest, mean, sd, table.Mean(loss), indefinite, failed / n}
}

// totalVariation returns the total variation of predictions p[r][i] of the inputs i by the networks r, mean
// over the inputs: its mean over all pairs of networks, and its largest.
func totalVariation(p [][][]float64) (mean, largest float64) {
	each := make([]float64, len(p[0])) // of an input, mean over the pairs
	pairs := float64(len(p)*(len(p)-1)) / 2
	for a := range p {
		for b := range a {
			total := 0.0
			for i := range each {
				tv := metric.TotalVariation(p[a][i], p[b][i])
				each[i] += tv / pairs
				total += tv
			}
			largest = max(largest, total/float64(len(each)))
		}
	}
	return table.Mean(each), largest
}
