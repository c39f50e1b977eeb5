package table

import (
	"math"
	"slices"
)

// Groups are the rows of a table that agree in some columns, the keys, in the order
// in which they first appear.
type Groups struct {
	// Unit, if it is given, says what the rows of a group are, "seeds" or "splits", and the overlap of
	// [NewEstimate].
	Unit   func(rows *Table) (unit string, overlap float64)
	Finite bool // only finite numbers are averaged

	keys   []Column // empty
	groups []*Table
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
	rows := map[string][]int{}
	var order []string // of the groups
	for i, id := range ids {
		if rows[id] == nil {
			order = append(order, id)
		}
		rows[id] = append(rows[id], i)
	}
	for _, id := range order {
		g.groups = append(g.groups, t.Rows(rows[id]))
	}
	return g
}

// All returns the groups.
func (g Groups) All() []*Table { return g.groups }

// Mean returns a table with a row for each group: the keys, the number of rows as the column seeds, with a
// Unit the rule of the intervals, and for each of the columns its mean and, as _low and _high, the ends of
// its 95 % interval: of flags Wilson's, else that of an [Estimate]. They stay in the range of the column.
func (g Groups) Mean(name string, columns ...string) *Table {
	out := New(name, append(slices.Clone(g.keys), Int("seeds", "how many are averaged"))...)
	if g.Unit != nil {
		out.Columns = append(out.Columns, RuleColumn())
	}
	for i, group := range g.groups {
		var row []any
		for _, key := range g.keys {
			if c := group.column(key.Name); c.Kind == Words {
				row = append(row, c.Texts[0])
			} else {
				row = append(row, c.Nums[0])
			}
		}
		row = append(row, group.Len())
		unit, overlap := "", 0.0
		if g.Unit != nil {
			unit, overlap = g.Unit(group)
			row = append(row, Rule(unit, overlap))
		}
		for _, column := range columns {
			c := group.column(column)
			if i == 0 {
				out.Columns = append(out.Columns, c.means(g.Unit != nil)...)
			}
			x := c.Nums
			if g.Finite {
				x = slices.DeleteFunc(slices.Clone(x), func(x float64) bool { return math.IsNaN(x - x) })
			}
			row = append(row, c.interval(x, overlap))
		}
		out.Add(row...)
	}
	return out
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

// means returns the columns of interval, of which the first says the rule, unless that has a column of its
// own.
func (c *Column) means(ruled bool) []Column {
	rule := ", mean; interval: Student's t"
	switch {
	case c.Range == FlagRange:
		rule = ", mean; interval: Wilson's"
	case ruled:
		rule = ", mean"
	}
	low, high := "lower end of its 95 % interval", "upper end of its 95 % interval"
	return []Column{Num(c.Name, c.Doc+rule), Num(c.Name+"_low", low), Num(c.Name+"_high", high)}
}

// interval returns the mean of numbers of the column, and the ends of its interval.
func (c *Column) interval(x []float64, overlap float64) []float64 {
	switch i := NewEstimate(x, overlap).Interval(); c.Range {
	case FlagRange:
		return Wilson(x)
	case ShareRange:
		return []float64{i[0], max(i[1], 0), min(i[2], 1)}
	case PositiveRange:
		return []float64{i[0], max(i[1], 0), i[2]}
	default:
		return i
	}
}
