package compare

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"

	"closedform/core/gauss"
	"closedform/internal/kernel"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/table"
)

// allSets is the name, in the column set, of what is averaged over the sets.
const allSets = "all"

func (e *experiment) Tables(cells []table.Set) (table.Set, error) {
	return table.Merge(cells, func(t table.Set) table.Set {
		runs := t.Get("runs")
		summary := runs.GroupBy("set", "method").Shares(learner.ShareNames...).Positive(learner.LossNames...).Mean("summary", slices.Concat(learner.ScoreNames, learner.StepNames)...)
		return table.Set{summary, e.paired(runs), e.ranks(summary)}
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
	add := func(set, method string, differences [][]float64) {
		row := []any{set, method, e.Compare.Reference, len(differences[0])}
		for _, d := range differences {
			row = append(row, table.Interval(d))
		}
		t.Add(row...)
	}
	overSets := map[string][][]float64{} // by method: for every score the means of the sets
	for _, method := range e.others() {
		overSets[method] = make([][]float64, len(learner.ScoreNames))
	}
	for _, set := range e.Sets {
		of := runs.Where("set", set.Name)
		reference := of.Where("method", e.Compare.Reference)
		for _, method := range e.others() {
			rows := of.Where("method", method)
			differences := make([][]float64, len(learner.ScoreNames))
			for i, score := range learner.ScoreNames {
				differences[i] = rows.Nums(score)
				floats.Sub(differences[i], reference.Nums(score)[:rows.Len()])
				overSets[method][i] = append(overSets[method][i], table.Mean(differences[i]))
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
	scores := learner.ScoreColumns()
	k, n := len(e.Methods), len(e.Sets)
	rank := make([][]float64, k) // by method: for every score
	for i, c := range scores {
		scores[i] = table.Num(c.Name, "mean rank by the "+c.Doc+"; 1: the best")
		sum := make([]float64, k)
		for _, set := range e.Sets {
			for m, r := range ranked(summary.Where("set", set.Name).Nums(c.Name)) {
				sum[m] += r / float64(n)
			}
		}
		for m, s := range sum {
			rank[m] = append(rank[m], s)
		}
	}
	t := table.New("ranks", slices.Concat(
		[]table.Column{table.Text("method", "the learner"), table.Int("sets", "over which ranks are averaged")},
		scores, []table.Column{table.Num("critical_difference", "of two mean ranks, by Nemenyi's test at 5 %")})...)
	critical := studentizedRange(k) / math.Sqrt2 * math.Sqrt(float64(k*(k+1))/float64(6*n))
	for i, m := range e.Methods {
		t.Add(m.Name, n, rank[i], critical)
	}
	return t
}

// ranked returns the ranks of numbers from 1, the least; those that are equal but for
// rounding have their mean rank, and one that is not a number the last.
func ranked(x []float64) []float64 {
	const rounding = 1e-9
	r := make([]float64, len(x))
	for i, a := range x {
		var below, equal float64
		for _, b := range x {
			switch {
			case a == b, math.Abs(a-b) <= rounding*min(math.Abs(a), math.Abs(b)), math.IsNaN(a) && math.IsNaN(b):
				equal++
			case b < a, math.IsNaN(a):
				below++
			}
		}
		r[i] = below + (equal+1)/2
	}
	return r
}

// studentizedRange returns the 95 % quantile of the range of k independent
// standard normal numbers, whose distribution function is
//
//	P(q) = k ∫ φ(z) (Φ(z) − Φ(z−q))^{k−1} dz
//
// (Tukey's studentized range with infinitely many degrees of freedom).
func studentizedRange(k int) float64 {
	if k < 2 {
		return 0 // A single number has no range.
	}
	cdf := func(q float64) float64 {
		return quad.Fixed(func(z float64) float64 {
			phi := kernel.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
			return float64(k) * phi * math.Pow(gauss.CDF(z)-gauss.CDF(z-q), float64(k-1))
		}, -9, 9, 200, nil, 0)
	}
	low, high := 0.0, 20.0
	for range 60 {
		middle := (low + high) / 2
		if cdf(middle) < 0.95 {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}
