package table

import "closedform/internal/kernel"

// GroupBy returns a table for each combination of values in the columns, in the order of their appearance.
func (t *Table) GroupBy(columns ...string) (groups []*Table) {
	keys, rows := make([]string, t.Len()), map[string][]int{}
	for _, column := range columns {
		for i, text := range t.Texts(column) {
			keys[i] += text + "\x00"
		}
	}
	for i, key := range keys {
		rows[key] = append(rows[key], i)
	}
	for i, key := range keys {
		if rows[key][0] == i {
			groups = append(groups, t.Rows(rows[key]))
		}
	}
	return groups
}

// Means says what [Table.Mean] averages.
type Means struct {
	Keys, Columns []string                  // rows that share the keys are averaged, in each of the columns
	Overlap       func(rows *Table) float64 // overlap of averaged rows, see [NewEstimate]; nil: 0
}

// Mean returns a table with a row for each group: the keys; seeds, the number of rows; with an Overlap the
// rule of the intervals; and for each column its mean and the ends of its 95 % interval, which stay in the
// range of the column's kind. The interval is Wilson's for flags, and that of an [Estimate] otherwise.
func (t *Table) Mean(name string, m Means) *Table {
	first, groups := t.Rows(nil), t.GroupBy(m.Keys...)
	seeds, rule, overlap := Int("seeds", "number of averaged rows"), RuleColumn(), make([]float64, len(groups))
	for k, group := range groups {
		first.append(group.Rows([]int{0}))
		seeds.Nums = append(seeds.Nums, float64(group.Len()))
		if m.Overlap != nil {
			overlap[k] = m.Overlap(group)
			rule.Texts = append(rule.Texts, Rule(overlap[k]))
		}
	}
	out := New(name)
	for _, key := range m.Keys {
		out.Columns = append(out.Columns, *first.column(key))
	}
	if out.Columns = append(out.Columns, seeds); m.Overlap != nil {
		out.Columns = append(out.Columns, rule)
	}
	for _, column := range m.Columns {
		c := t.column(column)
		doc := c.Doc + ", mean"
		if c.Kind == Flags {
			doc += "; interval: Wilson's"
		} else if m.Overlap == nil {
			doc += "; interval: Student's t"
		}
		three := Interval(column, doc)
		for k, group := range groups {
			for i, x := range c.interval(group.Nums(column), overlap[k]) {
				three[i].Nums = append(three[i].Nums, x)
			}
		}
		out.Columns = append(out.Columns, three...)
	}
	return out
}

// Interval returns the columns of a mean and of the ends of its interval, name_low and name_high.
func Interval(name, doc string) []Column {
	return []Column{
		Num(name, doc), Num(name+"_low", "lower end of the 95 % interval of "+name),
		Num(name+"_high", "upper end of the 95 % interval of "+name),
	}
}

// interval returns the mean of x and the ends of its interval, within the range of the column's kind.
func (c *Column) interval(x []float64, overlap float64) []float64 {
	if c.Kind == Flags {
		return Wilson(kernel.Sum(x), float64(len(x)))
	}
	i := NewEstimate(x, overlap).Interval()
	if c.Kind != Numbers {
		i[1] = max(i[1], 0)
	}
	if c.Kind == Shares {
		i[2] = min(i[2], 1)
	}
	return i
}
