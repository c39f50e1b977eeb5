package study

import (
	"math"
	"strconv"

	"gonum.org/v1/gonum/floats"

	"closedform/runner/internal/metric"
	store "closedform/runner/internal/oldstore"
)

// posteriorColumns are what is averaged over the seeds, with intervals, where it
// is finite: a divergence or a logarithmic loss may be infinite.
var posteriorColumns = []string{"tv", "kl", "excess_error", "excess_log_loss", "ece"}

// infiniteShare names the share of seeds in which a column is infinite; of the
// others none is.
var infiniteShare = map[string]string{
	"kl": "kl_infinite", "excess_log_loss": "log_loss_infinite",
}

// posteriorCounts are averaged without intervals; of failed, the sum is given.
var posteriorCounts = []string{"tv_noise", "kl_noise", "indefinite", "skipped", "projected"}

// summary averages over the seeds: a row for each variant and snapshot.
func (s *posteriorStudy) summary(distance frame) store.Table {
	t := store.Table{Name: "summary", Header: []string{"variant", "k", "seeds"}}
	for _, c := range posteriorColumns {
		t.Header = append(t.Header, c, c+"_low", c+"_high")
	}
	t.Header = append(t.Header, "kl_infinite", "log_loss_infinite")
	t.Header = append(append(t.Header, posteriorCounts...), "failed")
	for _, name := range (posteriorSpec{Models: s.Models(), Perceptrons: s.Perceptrons}).names() {
		of := distance.where("variant", name)
		for _, k := range s.Snapshots {
			rows := of.where("k", strconv.Itoa(k))
			row := []string{name, strconv.Itoa(k), strconv.Itoa(len(rows.Rows))}
			for _, c := range posteriorColumns {
				mean, low, high := metric.Interval(finite(rows.floats(c)))
				row = append(row, gapped(mean), gapped(low), gapped(high))
			}
			row = append(row, store.Float(infinite(rows.floats("kl"))), store.Float(infinite(rows.floats("excess_log_loss"))))
			for _, c := range posteriorCounts {
				row = append(row, store.Float(floats.Sum(rows.floats(c))/float64(len(rows.Rows))))
			}
			t.Rows = append(t.Rows, append(row, store.Float(floats.Sum(rows.floats("failed")))))
		}
	}
	return t
}

// infinite returns the share of x that is +Inf.
func infinite(x []float64) float64 {
	return float64(floats.Count(func(x float64) bool { return math.IsInf(x, 1) }, x)) / float64(len(x))
}
