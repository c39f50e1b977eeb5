package learner

import (
	"fmt"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/table"
)

// Steps counts the outcomes of examples. A learner may have a method Steps.
type Steps struct {
	Indefinite, Skipped, Projected int
	Floored, Capped                int // number of variances at their floor or cap, see [bnn.Update]
	Limited                        int // number of examples with limited inputs, see [readout.Layer.Limited]
	Failed                         bool
}

// StepColumns returns the columns of [Steps.Row].
func StepColumns() []table.Column {
	return []table.Column{
		table.Int("indefinite_steps", "examples whose step was indefinite under the rule as printed in the paper"),
		table.Int("skipped_steps", "examples that were not learned, because their step was indefinite"),
		table.Int("projected_steps", "examples learned after an indefinite matrix was repaired"),
		table.Int("floored", "variances of logits, hidden units and weights raised to their floor"),
		table.Int("capped", "variances of logits and hidden pre-activations lowered to their cap"),
		table.Int("limited", "examples with an input of an output layer beyond ±32, which was set to ±32"),
		table.Flag("failed", "1 if the learner failed; after a failure it is scored with equal probabilities"),
	}
}

// Row returns the counts in the order of StepColumns.
func (s Steps) Row() []any {
	return []any{s.Indefinite, s.Skipped, s.Projected, s.Floored, s.Capped, s.Limited, s.Failed}
}

// Count counts the outcome of an example.
func (s *Steps) Count(u bnn.Update) {
	if u.Indefinite {
		s.Indefinite++
	}
	switch u.Action {
	case bnn.Skipped:
		s.Skipped++
	case bnn.Projected:
		s.Projected++
	}
	s.Floored, s.Capped = s.Floored+u.Floored, s.Capped+u.Capped
}

// Steps returns the counts of the learner, for an ensemble the sums over its members.
func (c *Classifier) Steps() (s Steps) {
	if l, ok := c.Learners[0].(interface{ Steps() Steps }); ok {
		s = l.Steps()
	}
	if l := c.Readout(); l != nil {
		s.Limited = l.Limited()
	}
	s.Failed = c.Err != nil
	return s
}

// ScoreColumns returns the columns of [Scores].
func ScoreColumns() []table.Column {
	return []table.Column{
		table.Share("error", "share of wrong predictions"),
		table.Positive("log_loss", "mean of −log p, p the probability of the true class, in nats"),
		table.Positive("brier", "mean of the squared distance of the probabilities from the label, 0 to 2"),
		table.Share("ece", "expected calibration error of the largest probability, 15 bins"),
		table.Share("aurc", "area under the risk–coverage curve of the largest probability"),
	}
}

// ScoreNames are the names of [ScoreColumns].
var ScoreNames = table.Names(ScoreColumns())

// Scores returns the scores of predictions in the order of ScoreColumns.
func Scores(p [][]float64, class []int) []float64 {
	top, wrong := make([]float64, len(p)), make([]bool, len(p))
	for i, p := range p {
		top[i], wrong[i] = floats.Max(p), floats.MaxIdx(p) != class[i]
	}
	return []float64{
		metric.Error(p, class), metric.LogLoss(p, class), metric.Brier(p, class),
		metric.ECE(p, class, 15), metric.Rank(top, wrong).AURC(),
	}
}

// ClassColumns returns the columns name1, name2, … of n classes.
func ClassColumns(name string, n int, doc string) (columns []table.Column) {
	for j := range n {
		columns = append(columns, table.Num(fmt.Sprint(name, j+1), doc).Rounded(6))
	}
	return columns
}
