package study

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"closedform/runner/internal/metric"
	store "closedform/runner/internal/oldstore"
)

// frame reads the columns of a table by name. Asking for a column or a number
// that is not there panics: the tables are our own.
type frame struct{ *store.Table }

// find returns the table of that name.
func find(tables []store.Table, name string) frame {
	i := slices.IndexFunc(tables, func(t store.Table) bool { return t.Name == name })
	if i < 0 {
		panic("study: no table " + name)
	}
	return frame{&tables[i]}
}

func (f frame) column(name string) int {
	i := slices.Index(f.Header, name)
	if i < 0 {
		panic(fmt.Sprintf("study: table %s has no column %s", f.Name, name))
	}
	return i
}

// where returns the rows with the given value in the column.
func (f frame) where(column, value string) frame {
	c := f.column(column)
	rows := slices.DeleteFunc(slices.Clone(f.Rows), func(row []string) bool { return row[c] != value })
	return frame{&store.Table{Name: f.Name, Header: f.Header, Rows: rows}}
}

// strings returns a column.
func (f frame) strings(column string) []string {
	c := f.column(column)
	out := make([]string, len(f.Rows))
	for i, row := range f.Rows {
		out[i] = row[c]
	}
	return out
}

// floats returns a column of numbers; an empty field is not a number.
func (f frame) floats(column string) []float64 {
	c := f.column(column)
	x := make([]float64, len(f.Rows))
	for i, row := range f.Rows {
		if row[c] == "" {
			x[i] = math.NaN()
			continue
		}
		var err error
		if x[i], err = strconv.ParseFloat(row[c], 64); err != nil {
			panic(fmt.Sprintf("study: table %s, row %d, column %s: %v", f.Name, i, column, err))
		}
	}
	return x
}

// averages averages the rows of a table that agree in the key columns: a row for
// each combination of these, in the order of their first appearance, with the
// number of rows, and for each of the columns (by default all others but the seed)
// the mean and the ends of its 95 % interval.
func averages(name string, of frame, keys []string, columns ...string) store.Table {
	if len(columns) == 0 {
		for _, c := range of.Header {
			if c != "seed" && !slices.Contains(keys, c) {
				columns = append(columns, c)
			}
		}
	}
	t := store.Table{Name: name, Header: append(slices.Clone(keys), "seeds")}
	for _, c := range columns {
		t.Header = append(t.Header, c, c+"_low", c+"_high")
	}
	var order []string
	groups := map[string]*store.Table{}
	for _, row := range of.Rows {
		var key []string
		for _, k := range keys {
			key = append(key, row[of.column(k)])
		}
		id := fmt.Sprintf("%q", key)
		if groups[id] == nil {
			order = append(order, id)
			groups[id] = &store.Table{Name: of.Name, Header: of.Header}
			t.Rows = append(t.Rows, key)
		}
		groups[id].Rows = append(groups[id].Rows, row)
	}
	for i, id := range order {
		group := frame{groups[id]}
		t.Rows[i] = append(t.Rows[i], strconv.Itoa(len(group.Rows)))
		for _, c := range columns {
			mean, low, high := metric.Interval(group.floats(c))
			t.Rows[i] = append(t.Rows[i], gapped(mean), gapped(low), gapped(high))
		}
	}
	return t
}
