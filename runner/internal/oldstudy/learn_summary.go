package study

import (
	"fmt"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"closedform/core/bnn"
	"closedform/runner/internal/dataset"
	"closedform/runner/internal/metric"
	store "closedform/runner/internal/oldstore"
)

// calibrationBins is the number of bins of the expected calibration error, as
// in Guo et al. (2017).
const calibrationBins = 15

// learnSummary gathers the row of summary.csv of one network.
type learnSummary struct {
	lambda    float64
	entropies []float64 // mean entropy on the coarse grid after each example

	// Of the snapshots.
	void                []bool // whether a Σ_j Var y_j is negative
	entropy, variance   []float64
	pGap, varianceGap   deviation
	excess, asymmetry   float64
	points, negativeVar int // predictions, and those with a negative variance
	last                []prediction
	class               []int

	// Of the steps.
	indefinite, negative        int // Update.Indefinite; smallest ṽ negative
	applied, skipped, projected int
}

// count takes note of a step.
func (s *learnSummary) count(u bnn.Update) {
	if u.Indefinite {
		s.indefinite++
	}
	if !(u.MinVariance >= 0) {
		s.negative++
	}
	switch u.Action {
	case bnn.Applied:
		s.applied++
	case bnn.Skipped:
		s.skipped++
	case bnn.Projected:
		s.projected++
	}
}

// add takes note of a snapshot of the whole square. Errors against Monte Carlo
// are those on the coarse grid, also for the seed that was checked everywhere.
func (s *learnSummary) add(maps []prediction, square *square) {
	s.points += len(maps)
	s.entropy = append(s.entropy, meanEntropy(maps))
	total := totalVariances(maps)
	s.variance = append(s.variance, stat.Mean(total, nil))
	s.void = append(s.void, negative(floats.Min(total)))
	for _, f := range maps {
		s.excess = max(s.excess, f.excess, -f.excess)
		s.asymmetry = max(s.asymmetry, f.asymmetry)
		if negative(floats.Min(f.variance)) {
			s.negativeVar++
		}
	}
	for _, i := range square.coarse {
		f := maps[i]
		s.pGap.add(f.p, f.check.p, f.check.pErr)
		s.varianceGap.add(f.variance, f.check.variance, f.check.varianceErr)
	}
	s.last, s.class = maps, square.class
}

// table returns the summary as a table of one row.
func (s *learnSummary) table(spec learnSpec) store.Table {
	t := store.Table{Name: "summary", Rows: [][]string{nil}}
	text := func(column, value string) {
		t.Header = append(t.Header, column)
		t.Rows[0] = append(t.Rows[0], value)
	}
	number := func(column string, x float64) { text(column, store.Float(x)) }
	count := func(column string, n int) { text(column, strconv.Itoa(n)) }

	text("variant", spec.Model.Name)
	count("seed", spec.Seed)
	number("lambda", s.lambda)
	number("rho", spec.Model.Rho)

	p, class := labelled(s.last, s.class)
	accuracy := metric.Accuracy(p, class)
	number("accuracy", accuracy)
	number("error", 1-accuracy)
	number("log_loss", metric.LogLoss(p, class))
	number("brier", metric.Brier(p, class))
	number("ece", metric.ECE(p, class, calibrationBins))

	for i, k := range spec.Evaluate.Snapshots {
		number(fmt.Sprintf("entropy_%d", k), s.entropy[i])
	}
	for i, k := range spec.Evaluate.Snapshots {
		number(fmt.Sprintf("variance_%d", k), s.variance[i])
	}
	for _, q := range []struct {
		name string
		gap  *deviation
	}{{"p", &s.pGap}, {"var", &s.varianceGap}} {
		number(fmt.Sprintf("max_abs_%s_error", q.name), q.gap.largest)
		number(fmt.Sprintf("mean_abs_%s_error", q.name), q.gap.mean())
		number(fmt.Sprintf("rms_%s_error", q.name), q.gap.rms())
		number(fmt.Sprintf("mean_%s_se", q.name), q.gap.meanErr())
	}
	number("max_abs_excess", s.excess)
	number("max_asymmetry", s.asymmetry)
	count("negative_variances", s.negativeVar)

	count("indefinite_steps", s.indefinite)
	count("negative_steps", s.negative)
	count("applied", s.applied)
	count("skipped", s.skipped)
	count("projected", s.projected)

	for _, name := range statistics[1:] { // the first, accuracy, is there already
		number(name, s.statistic(name))
	}
	return t
}

// labelled returns the probabilities and the true classes of the predictions at
// points that have one.
func labelled(maps []prediction, classes []int) (p [][]float64, class []int) {
	for _, f := range maps {
		if c := classes[f.point]; c != dataset.NoClass {
			p = append(p, f.label)
			class = append(class, c)
		}
	}
	return p, class
}
