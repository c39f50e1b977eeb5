package table

import (
	"maps"
	"math"
	"slices"
)

// Groups are the rows of a table that agree in some columns, the keys, in the order
// in which they first appear.
type Groups struct {
	keys   []Column // empty
	groups []*Table
	most   map[string]float64 // of columns whose numbers are from 0
}

// GroupBy groups the rows by the columns.
func (t *Table) GroupBy(keys ...string) Groups {
	g := Groups{}
	ids := make([]string, t.Len())
	for _, key := range keys {
		for i, text := range t.Texts(key) {
			ids[i] += text + "\x00"
		}
		g.keys = append(g.keys, *t.Rows(nil).column(key))
	}
	index := map[string]int{}
	var rows [][]int
	for i, id := range ids {
		at, ok := index[id]
		if !ok {
			at = len(rows)
			index[id] = at
			rows = append(rows, nil)
		}
		rows[at] = append(rows[at], i)
	}
	for _, r := range rows {
		g.groups = append(g.groups, t.Rows(r))
	}
	return g
}

// All returns the groups.
func (g Groups) All() []*Table { return g.groups }

// Shares returns the groups with the names of columns whose numbers are from 0 to 1. The
// intervals of their means are cut off there, which loses no coverage: the mean that they are
// to cover is from 0 to 1, too.
func (g Groups) Shares(columns ...string) Groups { return g.within(1, columns) }

// Positive returns the groups with the names of columns whose numbers are 0 or more, where the
// intervals of their means are cut off.
func (g Groups) Positive(columns ...string) Groups { return g.within(math.Inf(1), columns) }

func (g Groups) within(most float64, columns []string) Groups {
	if g.most = maps.Clone(g.most); g.most == nil {
		g.most = map[string]float64{}
	}
	for _, c := range columns {
		g.most[c] = most
	}
	return g
}

// Mean returns a table with a row for each group: the keys, the number of rows as
// the column seeds, and for each of the columns its mean and, as _low and _high,
// the ends of the 95 % interval of Student's t.
func (g Groups) Mean(name string, columns ...string) *Table { return g.mean(name, Interval, columns) }

// MeanFinite is [Groups.Mean] of the finite numbers of each column.
func (g Groups) MeanFinite(name string, columns ...string) *Table {
	return g.mean(name, func(x []float64) []float64 {
		return Interval(slices.DeleteFunc(x, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }))
	}, columns)
}

func (g Groups) mean(name string, interval func([]float64) []float64, columns []string) *Table {
	out := New(name, append(slices.Clone(g.keys), Int("seeds", "how many are averaged"))...)
	for _, group := range g.groups {
		if len(out.Columns) == len(g.keys)+1 {
			for _, c := range columns {
				of := IntervalOf(c, group.column(c).Doc)
				if most, ok := g.most[c]; ok {
					of[1].Doc += ", cut off at 0"
					if most == 1 {
						of[2].Doc += ", cut off at 1"
					}
				}
				out.Columns = append(out.Columns, of...)
			}
		}
		var row []any
		for _, key := range g.keys {
			if c := group.column(key.Name); c.Kind == Words {
				row = append(row, c.Texts[0])
			} else {
				row = append(row, c.Nums[0])
			}
		}
		row = append(row, group.Len())
		for _, c := range columns {
			x := interval(group.Nums(c))
			if most, ok := g.most[c]; ok {
				x[1], x[2] = max(x[1], 0), min(x[2], most)
			}
			row = append(row, x)
		}
		out.Add(row...)
	}
	return out
}

// IntervalOf returns the three columns that [Interval] fills.
func IntervalOf(name, doc string) []Column {
	return []Column{
		Num(name, doc+", mean"),
		Num(name+"_low", "lower end of its 95 % interval, Student's t"), Num(name+"_high", "upper end of its 95 % interval, Student's t"),
	}
}

// Interval returns the mean of x, which may be infinite, and the ends of its 95 %
// interval, Student's t, no value where they are not finite.
func Interval(x []float64) []float64 {
	mean, low, high := Student(x)
	return []float64{mean, Finite(low), Finite(high)}
}
