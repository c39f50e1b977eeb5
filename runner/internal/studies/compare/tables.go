package compare

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"closedform/runner/internal/learner"
	"closedform/runner/internal/table"
)

// allSets is the name, in the column set, of what is averaged over the sets.
const allSets = "all"

func (e *experiment) Tables(cells []table.Set) (table.Set, error) {
	tables, err := table.Merge(cells)
	if err != nil {
		return nil, err
	}
	runs := tables.Get("runs")
	summary := runs.GroupBy("set", "method").Mean("summary", slices.Concat(learner.ScoreNames, learner.StepNames)...)
	return append(tables, summary, e.paired(runs), e.ranks(summary)), nil
}

// paired is, for every set and method, the mean over the splits of its score less
// that of the reference on the same split, and for all sets the mean over the sets
// of these means; with 95 % intervals over the splits, or over the sets.
func (e *experiment) paired(runs *table.Table) *table.Table {
	t := table.New("paired", table.Text("set", "the data set; all: the mean over the sets"), table.Text("method", "the learner"),
		table.Text("reference", "the one that it is compared with"), table.Int("pairs", "splits, or sets"))
	for _, c := range learner.ScoreColumns() {
		t.Columns = append(t.Columns, table.IntervalOf(c.Name, c.Doc+", less that of the reference")...)
	}
	add := func(set, method string, differences [][]float64) {
		var intervals [][]float64
		for _, d := range differences {
			intervals = append(intervals, table.Interval(d))
		}
		t.Add(set, method, e.Compare.Reference, len(differences[0]), slices.Concat(intervals...))
	}
	overSets := map[string][][]float64{} // by method: for every score the means of the sets
	for _, set := range e.Sets {
		of := runs.Where("set", set.Name)
		reference := of.Where("method", e.Compare.Reference)
		for _, method := range e.others() {
			rows := of.Where("method", method)
			if overSets[method] == nil {
				overSets[method] = make([][]float64, len(learner.ScoreNames))
			}
			differences := make([][]float64, len(learner.ScoreNames))
			for i, score := range learner.ScoreNames {
				differences[i] = rows.Nums(score)
				floats.Sub(differences[i], reference.Nums(score))
				overSets[method][i] = append(overSets[method][i], stat.Mean(differences[i], nil))
			}
			add(set.Name, method, differences)
		}
	}
	for _, method := range e.others() {
		add(allSets, method, overSets[method])
	}
	return t
}

// others returns the methods but the reference.
func (e *experiment) others() []string {
	var names []string
	for _, m := range e.Methods {
		if m.Name != e.Compare.Reference {
			names = append(names, m.Name)
		}
	}
	return names
}

// ranks is the mean over the sets of a method's rank among all by the mean score,
// from 1, the best, with the critical difference of Nemenyi's test at 5 %: two
// methods whose mean ranks are less apart cannot be told apart by these sets
// (Demšar, "Statistical comparisons of classifiers over multiple data sets", JMLR
// 2006).
func (e *experiment) ranks(summary *table.Table) *table.Table {
	t := table.New("ranks", table.Text("method", "the learner"), table.Int("sets", "over which ranks are averaged"))
	k, n := len(e.Methods), len(e.Sets)
	rank := make([][]float64, k) // by method: for every score
	for _, c := range learner.ScoreColumns() {
		t.Columns = append(t.Columns, table.Num(c.Name, "mean rank by the "+c.Doc+"; 1: the best"))
		sum := make([]float64, k)
		for _, set := range e.Sets {
			for i, r := range ranked(summary.Where("set", set.Name).Nums(c.Name)) {
				sum[i] += r / float64(n)
			}
		}
		for i, s := range sum {
			rank[i] = append(rank[i], s)
		}
	}
	t.Columns = append(t.Columns, table.Num("critical_difference", "of two mean ranks, by Nemenyi's test at 5 %"))
	critical := studentizedRange(k) / math.Sqrt2 * math.Sqrt(float64(k*(k+1))/float64(6*n))
	for i, m := range e.Methods {
		t.Add(m.Name, n, rank[i], critical)
	}
	return t
}

// ranked returns the ranks of numbers from 1, the least; equal ones have their
// mean rank, and one that is not a number the last.
func ranked(x []float64) []float64 {
	r := make([]float64, len(x))
	for i, a := range x {
		var below, equal float64
		for _, b := range x {
			switch {
			case b < a || math.IsNaN(a) && !math.IsNaN(b):
				below++
			case b == a || math.IsNaN(a) && math.IsNaN(b):
				equal++
			}
		}
		r[i] = below + (equal+1)/2
	}
	return r
}
