package learn

import (
	"math"
	"slices"
	"strings"

	"closedform/runner/internal/learner"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/table"
)

// allSets is the name, in the column set, of what is averaged over the sets.
const allSets = "all"

// Tables adds the means over the seeds, and comparisons. Of a sweep over λ and ρ only the means are left.
func (e *experiment) Tables(cells []table.Set) (table.Set, error) {
	all, err := table.Merge(cells, e.derived)
	return slices.DeleteFunc(all, func(t *table.Table) bool { return t.Name == "runs" && e.heat }), err
}

func (e *experiment) derived(t table.Set) (all table.Set) {
	runs, predictions := t.Get("runs"), t.Get("predictions")
	if pairs := t.Get("pairs"); pairs != nil {
		return table.Set{e.means(pairs, "summary")}
	}
	summary := e.means(runs, "summary")
	all = append(all, summary)
	if curve := t.Get("curve"); curve != nil {
		all = append(all, e.means(curve, "curve_summary"))
	}
	if e.Evaluate.Classes {
		all = append(all, confusion(predictions, e.sets[0].Classes()))
	}
	if e.Evaluate.Reference != "" {
		all = append(all, e.paired(runs), e.ranks(summary))
	}
	if len(e.Contrasts) > 0 {
		all = append(all, e.contrasts(runs, predictions))
	}
	if len(e.Evaluate.LeaveOut) > 0 {
		all = append(all, e.leftOut(summary))
	}
	return all
}

// means returns the means over the seeds of all numbers of a table, of repeated orders and sweeps of those
// that are finite.
func (e *experiment) means(t *table.Table, name string) *table.Table {
	keys := strings.Fields("set method lambda rho order pass k seen differ_by networks")
	if t.Has("classes") { // seeds differ in k and seen
		keys = strings.Fields("set method order pass classes")
	}
	others := strings.Fields("seed train test validation_log_loss")
	var by, columns []string
	for _, c := range t.Columns {
		switch {
		case slices.Contains(keys, c.Name):
			by = append(by, c.Name)
		case c.Kind != table.Words && !slices.Contains(others, c.Name):
			columns = append(columns, c.Name)
		}
	}
	groups := t.GroupBy(by...).Shares(learner.ShareNames...).Shares("prequential_error", "tv", "tv_max")
	if e.Evaluate.Reference == "" {
		groups = groups.Positive(learner.LossNames...).Positive("prequential_log_loss")
	}
	if e.Evaluate.Order != Repeated && !e.heat {
		return groups.Mean(name, columns...)
	}
	means := groups.MeanFinite(name, columns...)
	infinite := table.Num("log_loss_infinite", "share of the seeds with an infinite log loss")
	for _, rows := range groups.All() {
		finite := 0.0
		for _, x := range rows.Nums("log_loss") {
			if !math.IsInf(x, 0) && !math.IsNaN(x) {
				finite++
			}
		}
		infinite.Nums = append(infinite.Nums, 1-finite/float64(rows.Len()))
	}
	means.Columns = append(means.Columns, infinite)
	return means
}

// paired is, for every set and method, the mean over its splits of its score less
// that of the reference on the same split, and for all sets the mean over the sets
// of these means; with 95 % intervals over the splits, or over the sets.
func (e *experiment) paired(runs *table.Table) *table.Table {
	t := table.New("paired", table.Text("set", "the data set; all: the mean over the sets"),
		table.Text("method", "the learner"), table.Text("reference", "the one that it is compared with"),
		table.Int("pairs", "splits that the method has learned, or sets"))
	for _, c := range learner.ScoreColumns() {
		t.Columns = append(t.Columns, table.IntervalOf(c.Name, c.Doc+", less that of the reference")...)
	}
	reference := e.Evaluate.Reference
	add := func(set, method string, differences func(score string) []float64) {
		var row []any
		for _, score := range learner.ScoreNames {
			row = append(row, table.Interval(differences(score)))
		}
		t.Add(set, method, reference, len(differences("error")), row)
	}
	others := slices.DeleteFunc(learner.Names(e.Methods), func(name string) bool { return name == reference })
	for _, set := range e.sets {
		rows := runs.Where("set", set.Name)
		for _, method := range others {
			add(set.Name, method, func(score string) []float64 {
				return differences(rows, method, reference, score)
			})
		}
	}
	for _, method := range others {
		add(allSets, method, t.Where("method", method).Nums)
	}
	return t
}

// ranks is the mean over the sets of a method's rank among all by the mean score,
// from 1, the best, with the critical difference of Nemenyi's test at 5 %: two
// methods whose mean ranks differ by less do not differ significantly on these sets.
func (e *experiment) ranks(summary *table.Table) *table.Table {
	t := table.New("ranks", table.Text("method", "the learner"), table.Int("sets", "that are averaged"))
	for _, c := range learner.ScoreColumns() {
		t.Columns = append(t.Columns, table.Num(c.Name, "mean rank by the "+c.Doc+"; 1: the best"))
	}
	critical := table.Num("critical_difference", "of two mean ranks, by Nemenyi's test at 5 %")
	t.Columns = append(t.Columns, critical)
	n := len(e.sets)
	for i, m := range e.Methods {
		row := []any{m.Name, n}
		for _, score := range learner.ScoreNames {
			mean := 0.0
			for _, set := range e.sets {
				mean += metric.Ranks(summary.Where("set", set.Name).Nums(score))[i] / float64(n)
			}
			row = append(row, mean)
		}
		t.Add(append(row, metric.Nemenyi(len(e.Methods), n))...)
	}
	return t
}

// leftOut is, for every set, what a choice among some methods costs that has not seen the set: the
// one with the least mean log loss over the other sets, beside the reference and the best of them.
func (e *experiment) leftOut(summary *table.Table) *table.Table {
	t := table.New("left_out", table.Text("set", "the data set that is left out; all: means over the sets"),
		table.Text("chosen", "the method of least mean log loss over the other sets"),
		table.Num("log_loss", "of the chosen one on the set that is left out, in nats"),
		table.Num("reference_log_loss", "of the reference"),
		table.Num("best_log_loss", "of the best of the methods on this set, which nobody can know"))
	loss := func(set, method string) float64 {
		return summary.Where("set", set).Where("method", method).Nums("log_loss")[0]
	}
	for _, left := range e.sets {
		var chosen string
		least, best := math.Inf(1), math.Inf(1)
		for _, method := range e.Evaluate.LeaveOut {
			sum := 0.0
			for _, set := range e.sets {
				if set.Name != left.Name {
					sum += loss(set.Name, method)
				}
			}
			if sum < least {
				chosen, least = method, sum
			}
			best = min(best, loss(left.Name, method))
		}
		reference := loss(left.Name, e.Evaluate.Reference)
		t.Add(left.Name, chosen, table.Finite(loss(left.Name, chosen)), table.Finite(reference), table.Finite(best))
	}
	mean := func(column string) float64 { return table.Mean(t.Nums(column)) }
	t.Add(allSets, "", mean("log_loss"), mean("reference_log_loss"), mean("best_log_loss"))
	return t
}
