package study

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"closedform/runner/internal/metric"
	store "closedform/runner/internal/oldstore"
)

// allSets is the name, in the column set, of what is averaged over the sets.
const allSets = "all"

// paired is, for every set and method, the mean over the splits of its score less
// that of the reference on the same split, and for all sets the mean over the sets
// of these means; with 95 % intervals over the splits, or over the sets.
func (c *compare) paired(scores frame) store.Table {
	t := store.Table{Name: "paired", Header: []string{"set", "method", "reference", "pairs"}}
	for _, column := range scoreColumns {
		t.Header = append(t.Header, column, column+"_low", column+"_high")
	}
	overSets := map[string][][]float64{} // by method: for every column the means of the sets
	add := func(set, method string, differences [][]float64) {
		row := []string{set, method, c.Reference, strconv.Itoa(len(differences[0]))}
		for _, d := range differences {
			mean, low, high := metric.Interval(d)
			row = append(row, gapped(mean), gapped(low), gapped(high))
		}
		t.Rows = append(t.Rows, row)
	}
	for _, set := range c.Sets {
		of := scores.where("set", set.Name)
		reference := of.where("method", c.Reference)
		for _, method := range c.Methods {
			if method.Name == c.Reference {
				continue
			}
			rows := of.where("method", method.Name)
			if overSets[method.Name] == nil {
				overSets[method.Name] = make([][]float64, len(scoreColumns))
			}
			differences := make([][]float64, len(scoreColumns))
			for i, column := range scoreColumns {
				theirs, ours := rows.floats(column), reference.floats(column)
				for k := range theirs {
					differences[i] = append(differences[i], theirs[k]-ours[k])
				}
				overSets[method.Name][i] = append(overSets[method.Name][i], stat.Mean(differences[i], nil))
			}
			add(set.Name, method.Name, differences)
		}
	}
	for _, method := range c.Methods {
		if method.Name != c.Reference {
			add(allSets, method.Name, overSets[method.Name])
		}
	}
	return t
}

// ranks is the mean over the sets of a method's rank among all by the mean score,
// from 1, the best, with the critical difference of Nemenyi's test at 5 %: two
// methods whose mean ranks are less apart cannot be told apart by these sets
// (Demšar, "Statistical comparisons of classifiers over multiple data sets", JMLR
// 2006).
func (c *compare) ranks(means frame) store.Table {
	t := store.Table{Name: "ranks", Header: slices.Concat([]string{"method", "sets"}, scoreColumns, []string{"critical_difference"})}
	k, n := len(c.Methods), len(c.Sets)
	all := make([][]float64, len(c.Methods))
	for _, column := range scoreColumns {
		sum := make([]float64, k)
		for _, set := range c.Sets {
			for i, r := range ranked(means.where("set", set.Name).floats(column)) {
				sum[i] += r / float64(n)
			}
		}
		for i, s := range sum {
			all[i] = append(all[i], s)
		}
	}
	critical := studentizedRange(k) / math.Sqrt2 * math.Sqrt(float64(k*(k+1))/float64(6*n))
	for i, method := range c.Methods {
		row := []string{method.Name, strconv.Itoa(n)}
		for _, r := range all[i] {
			row = append(row, store.Float(r))
		}
		t.Rows = append(t.Rows, append(row, store.Float(critical)))
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
