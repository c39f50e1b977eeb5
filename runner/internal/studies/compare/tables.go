package compare

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/runner/internal/learner"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/table"
)

// allSets is the name, in the column set, of what is averaged over the sets.
const allSets = "all"

func (e *experiment) Tables(cells []table.Set) (table.Set, error) {
	return table.Merge(cells, func(t table.Set) table.Set {
		runs := t.Get("runs")
		summary := runs.GroupBy("set", "method").Shares(learner.ShareNames...).Mean("summary", slices.Concat(learner.ScoreNames, learner.StepNames)...)
		derived := table.Set{summary, e.paired(runs), e.ranks(summary)}
		if len(e.Contrasts) > 0 {
			derived = append(derived, e.contrasts(runs, t.Get("predictions")))
		}
		if len(e.Compare.LeaveOut) > 0 {
			derived = append(derived, e.leftOut(summary))
		}
		return derived
	})
}

// paired is, for every set and method, the mean over its splits of its score less
// that of the reference on the same split, and for all sets the mean over the sets
// of these means; with 95 % intervals over the splits, or over the sets.
func (e *experiment) paired(runs *table.Table) *table.Table {
	t := table.New("paired", table.Text("set", "the data set; all: the mean over the sets"), table.Text("method", "the learner"),
		table.Text("reference", "the one that it is compared with"), table.Int("pairs", "splits that the method has learned, or sets"))
	for _, c := range learner.ScoreColumns() {
		t.Columns = append(t.Columns, table.IntervalOf(c.Name, c.Doc+", less that of the reference")...)
	}
	add := func(set string, rows *table.Table, difference func(score string) []float64) {
		row := []any{set, rows.Texts("method")[0], e.Compare.Reference, rows.Len()}
		for _, score := range learner.ScoreNames {
			row = append(row, table.Interval(difference(score)))
		}
		t.Add(row...)
	}
	others := slices.DeleteFunc(runs.Distinct("method"), func(name string) bool { return name == e.Compare.Reference })
	for _, set := range e.Sets {
		of := runs.Where("set", set.Name)
		reference := of.Where("method", e.Compare.Reference)
		for _, method := range others {
			rows := of.Where("method", method)
			add(set.Name, rows, func(score string) []float64 {
				return floats.SubTo(rows.Nums(score), rows.Nums(score), reference.Nums(score)[:rows.Len()])
			})
		}
	}
	for _, method := range others {
		of := t.Where("method", method)
		add(allSets, of, of.Nums)
	}
	return t
}

// ranks is the mean over the sets of a method's rank among all by the mean score,
// from 1, the best, with the critical difference of Nemenyi's test at 5 %: two
// methods whose mean ranks are less apart cannot be told apart by these sets
// (Demšar, "Statistical comparisons of classifiers over multiple data sets", JMLR
// 2006).
func (e *experiment) ranks(summary *table.Table) *table.Table {
	scores := learner.ScoreColumns()
	k, n := len(e.Methods), len(e.Sets)
	means := make([][]float64, k) // by method: for every score
	for i, c := range scores {
		scores[i] = table.Num(c.Name, "mean rank by the "+c.Doc+"; 1: the best")
		for m := range means {
			means[m] = append(means[m], 0)
		}
		for _, set := range e.Sets {
			for m, r := range metric.Ranks(summary.Where("set", set.Name).Nums(c.Name)) {
				means[m][i] += r / float64(n)
			}
		}
	}
	t := table.New("ranks", slices.Concat(
		[]table.Column{table.Text("method", "the learner"), table.Int("sets", "over which ranks are averaged")},
		scores, []table.Column{table.Num("critical_difference", "of two mean ranks, by Nemenyi's test at 5 %")})...)
	critical := metric.StudentizedRange(k) / math.Sqrt2 * math.Sqrt(float64(k*(k+1))/float64(6*n))
	for i, m := range e.Methods {
		t.Add(m.Name, n, means[i], critical)
	}
	return t
}

// leftOut is, for every set, what a choice among some methods costs that has not seen the set: the
// one with the least mean log loss over the other sets, beside the reference and the best of them.
func (e *experiment) leftOut(summary *table.Table) *table.Table {
	t := table.New("left_out", table.Text("set", "the data set that is left out; all: means over the sets"), table.Text("chosen", "the method of least mean log loss over the other sets"),
		table.Num("log_loss", "of the chosen one on the set that is left out, in nats"), table.Num("reference_log_loss", "of the reference"),
		table.Num("best_log_loss", "of the best of the methods on this set, which nobody can know"))
	loss := func(set, method string) float64 {
		return summary.Where("set", set).Where("method", method).Nums("log_loss")[0]
	}
	for _, left := range e.Sets {
		var chosen string
		least, best := math.Inf(1), math.Inf(1)
		for _, method := range e.Compare.LeaveOut {
			sum := 0.0
			for _, set := range e.Sets {
				if set.Name != left.Name {
					sum += loss(set.Name, method)
				}
			}
			if sum < least {
				chosen, least = method, sum
			}
			best = min(best, loss(left.Name, method))
		}
		t.Add(left.Name, chosen, table.Finite(loss(left.Name, chosen)), table.Finite(loss(left.Name, e.Compare.Reference)), table.Finite(best))
	}
	t.Add(allSets, "", table.Mean(t.Nums("log_loss")), table.Mean(t.Nums("reference_log_loss")), table.Mean(t.Nums("best_log_loss")))
	return t
}
