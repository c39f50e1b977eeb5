package table

import (
	"math"
	"slices"
)

// Groups are the rows of a table that agree in some columns, the keys, in the order in which they first
// appear.
type Groups struct {
	// Unit, if it is given, says what the rows of a group are, "seeds" or "splits", and the overlap of
	// [NewEstimate].
	Unit   func(rows *Table) (unit string, overlap float64)
	Finite bool // only finite numbers are averaged

	from   *Table
	keys   []Column // of the first rows
	groups []*Table
}

// GroupBy groups the rows by the columns.
func (t *Table) GroupBy(keys ...string) Groups {
	ids := make([]string, t.Len())
	for _, key := range keys {
		for i, text := range t.Texts(key) {
			ids[i] += text + "\x00"
		}
	}
	rows := map[string][]int{}
	var first []int
	for i, id := range ids {
		if rows[id] == nil {
			first = append(first, i)
		}
		rows[id] = append(rows[id], i)
	}
	g := Groups{from: t}
	for _, key := range keys {
		g.keys = append(g.keys, *t.Rows(first).column(key))
	}
	for _, i := range first {
		g.groups = append(g.groups, t.Rows(rows[ids[i]]))
	}
	return g
}

// All returns the groups.
func (g Groups) All() []*Table { return g.groups }

// Mean returns a table with a row for each group: the keys, the number of rows as the column seeds, with a
// Unit the rule of the intervals, and for each of the columns its mean and, as _low and _high, the ends of
// its 95 % interval: of flags Wilson's, else that of an [Estimate]. They stay in the range of the column.
func (g Groups) Mean(name string, columns ...string) *Table {
	seeds, rule, overlap := Int("seeds", "how many are averaged"), RuleColumn(), make([]float64, len(g.groups))
	for k, group := range g.groups {
		seeds.Nums = append(seeds.Nums, float64(group.Len()))
		if g.Unit != nil {
			var unit string
			unit, overlap[k] = g.Unit(group)
			rule.Texts = append(rule.Texts, Rule(unit, overlap[k]))
		}
	}
	out := New(name, append(slices.Clone(g.keys), seeds)...)
	if g.Unit != nil {
		out.Columns = append(out.Columns, rule)
	}
	for _, column := range columns {
		c := g.from.column(column)
		doc := c.Doc + ", mean"
		if c.Range == FlagRange {
			doc += "; interval: Wilson's"
		} else if g.Unit == nil {
			doc += "; interval: Student's t"
		}
		mean := Num(column, doc)
		low := Num(column+"_low", "lower end of its 95 % interval")
		high := Num(column+"_high", "upper end of its 95 % interval")
		for k, group := range g.groups {
			x := group.Nums(column)
			if g.Finite {
				x = slices.DeleteFunc(x, func(x float64) bool { return math.IsNaN(x - x) })
			}
			i := c.interval(x, overlap[k])
			mean.Nums, low.Nums, high.Nums = append(mean.Nums, i[0]), append(low.Nums, i[1]), append(high.Nums, i[2])
		}
		out.Columns = append(out.Columns, mean, low, high)
	}
	return out
}

// interval returns the mean of numbers of the column, and the ends of its interval.
func (c *Column) interval(x []float64, overlap float64) []float64 {
	if c.Range == FlagRange {
		return Wilson(x)
	}
	i := NewEstimate(x, overlap).Interval()
	if c.Range != AnyRange {
		i[1] = max(i[1], 0)
	}
	if c.Range == ShareRange {
		i[2] = min(i[2], 1)
	}
	return i
}

// RuleColumn has the words of [Rule].
func RuleColumn() Column {
	return Text("interval", "rule of the 95 % intervals, and what is averaged: Student's t, or its correction "+
		"by Nadeau and Bengio for random splits of one table, whose training parts overlap")
}

// Rule names the rule of an [Estimate].
func Rule(unit string, overlap float64) string {
	if overlap > 0 {
		return "corrected t, " + unit
	}
	return "t, " + unit
}
