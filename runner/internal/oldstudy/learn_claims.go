package study

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"

	"closedform/runner/internal/dataset"
	"closedform/runner/internal/metric"
	store "closedform/runner/internal/oldstore"
)

// statistics are the columns of summary.csv that a claim may name. A claim
// holds where its statistic is above the threshold.
var statistics = []string{
	// Share of the square (its boundary points apart) that the last snapshot
	// classifies right.
	"accuracy",
	// Drop of the mean predictive entropy from the first to the last snapshot,
	// in nats.
	"entropy_drop",
	// Share of examples, from the second, after which the mean predictive
	// entropy is lower than before.
	"entropy_falls",
	// Among points of classes one and two, share with the larger probability
	// on the right one of the two.
	"separation_12",
	// Share of the points of classes one and two that are classified right
	// among all classes.
	"recall_12",
	// Probability that Σ_j Var y_j is larger at a point that is classified
	// wrong than at one that is classified right.
	"variance_auroc",
	// Drop of Σ_j Var y_j, averaged over the square, from the first to the last
	// snapshot. Like variance_auroc it is not a number if one of the sums is
	// negative.
	"variance_drop",
	// Share of all predictions of all snapshots without a negative variance.
	"variances_positive",
}

// statistic returns a statistic of the summary by its name.
func (s *learnSummary) statistic(name string) float64 {
	first, last := 0, len(s.entropy)-1
	switch name {
	case "entropy_drop":
		return s.entropy[first] - s.entropy[last]
	case "variance_drop":
		if s.void[first] || s.void[last] {
			return math.NaN()
		}
		return s.variance[first] - s.variance[last]
	case "entropy_falls":
		var falls float64
		for i := range s.entropies[1:] {
			if s.entropies[i+1] < s.entropies[i] {
				falls++
			}
		}
		return falls / float64(len(s.entropies)-1)
	case "separation_12", "recall_12":
		var right, points float64
		for _, f := range s.last {
			class := s.class[f.point]
			if class != 0 && class != 1 {
				continue
			}
			points++
			if name == "recall_12" && floats.MaxIdx(f.p) == class || name == "separation_12" && f.p[class] > f.p[1-class] {
				right++
			}
		}
		return right / points
	case "variance_auroc":
		if s.void[last] {
			return math.NaN()
		}
		total := totalVariances(s.last)
		var variance []float64
		var wrong []bool
		for i, f := range s.last {
			if class := s.class[f.point]; class != dataset.NoClass {
				variance = append(variance, total[i])
				wrong = append(wrong, floats.MaxIdx(f.p) != class)
			}
		}
		return metric.AUROC(variance, wrong)
	case "variances_positive":
		return 1 - float64(s.negativeVar)/float64(s.points)
	}
	panic("study: no statistic " + name)
}

// variants averages summary.csv over the seeds: a row per variant with the mean
// of every number and the ends of its 95 % interval, and the ceiling that the
// accuracy of linear scores without bias has.
func (l *learn) variants(summary frame) store.Table {
	t := store.Table{Name: "variants", Header: []string{"variant", "seeds", "linear_ceiling"}}
	columns := slices.DeleteFunc(slices.Clone(summary.Header), func(c string) bool { return c == "variant" || c == "seed" })
	for _, c := range columns {
		t.Header = append(t.Header, c, c+"_low", c+"_high")
	}
	for _, model := range l.Models() {
		rows := summary.where("variant", model.Name)
		row := []string{model.Name, strconv.Itoa(len(rows.Rows)), store.Float(l.generator.LinearCeiling)}
		for _, c := range columns {
			mean, low, high := metric.Interval(rows.floats(c))
			row = append(row, store.Float(mean), store.Float(low), store.Float(high))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// claims gives a verdict on every claim of the manifest, for every variant: it
// holds if the whole 95 % interval of its statistic over the seeds is above the
// threshold, fails if the whole interval is at or below it, and is open
// otherwise, also where the statistic is not a number for some seed.
func (l *learn) claims(summary frame) store.Table {
	t := store.Table{Name: "claims", Header: []string{"claim", "statistic", "variant", "seeds", "value", "low", "high", "threshold", "verdict"}}
	for _, claim := range l.Claims {
		for _, model := range l.Models() {
			x := summary.where("variant", model.Name).floats(claim.Statistic)
			mean, low, high := metric.Interval(x)
			verdict := "open"
			switch {
			case low > claim.Threshold:
				verdict = "holds"
			case high <= claim.Threshold:
				verdict = "fails"
			}
			t.Rows = append(t.Rows, []string{
				claim.Claim, claim.Statistic, model.Name, strconv.Itoa(len(x)),
				store.Float(mean), store.Float(low), store.Float(high), store.Float(claim.Threshold), verdict,
			})
		}
	}
	return t
}
