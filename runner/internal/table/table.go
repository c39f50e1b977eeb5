// Package table has tidy tables with typed columns: a row for each observation, a column for each variable.
package table

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Table is a table.
type Table struct {
	Name    string // name of the table's file, without its extension
	Packed  bool   // the table is large: it is stored compressed, and not committed
	Columns []Column
}

// New returns a table without rows. Several tables may be made of the same columns.
func New(name string, columns ...Column) *Table {
	return &Table{Name: name, Columns: slices.Clone(columns)}
}

// Len returns the number of rows.
func (t *Table) Len() int {
	if len(t.Columns) == 0 {
		return 0
	}
	return len(t.Columns[0].Texts) + len(t.Columns[0].Nums)
}

// Add appends a row: a string, int, bool (0 or 1) or float64 for each column; slices stand for their
// elements. It panics if they do not fit the columns.
func (t *Table) Add(values ...any) {
	row := flatten(nil, values)
	if len(row) != len(t.Columns) {
		panic(fmt.Sprintf("table: %d values for the %d columns of %s", len(row), len(t.Columns), t.Name))
	}
	for i, v := range row {
		if !t.Columns[i].add(v) {
			panic(fmt.Sprintf("table: value %v of type %T for column %s of %s", v, v, t.Columns[i].Name, t.Name))
		}
	}
}

// flatten appends a value to the row, or the elements of a slice.
func flatten(row []any, value any) []any {
	v := reflect.ValueOf(value)
	if v.Kind() != reflect.Slice {
		return append(row, value)
	}
	for i := range v.Len() {
		row = flatten(row, v.Index(i).Interface())
	}
	return row
}

// Has reports whether the table has the column.
func (t *Table) Has(column string) bool { return slices.Contains(Names(t.Columns), column) }

func (t *Table) column(name string) *Column {
	i := slices.Index(Names(t.Columns), name)
	if i < 0 {
		panic(fmt.Sprintf("table: %s has no column %s", t.Name, name))
	}
	return &t.Columns[i]
}

// Texts returns the values of a column as they are written in CSV.
func (t *Table) Texts(column string) []string {
	c := t.column(column)
	texts := slices.Clone(c.Texts)
	for _, x := range c.Nums {
		texts = append(texts, Format(x))
	}
	return texts
}

// Nums returns the values of a column of numbers; NaN is no value. It panics if the column has words.
func (t *Table) Nums(column string) []float64 {
	c := t.column(column)
	if c.Kind == Words && t.Len() > 0 {
		panic(fmt.Sprintf("table: column %s of %s is not of numbers", column, t.Name))
	}
	return slices.Clone(c.Nums)
}

// Distinct returns the different values of a column in the order of their appearance.
func (t *Table) Distinct(column string) (distinct []string) {
	for _, text := range t.Texts(column) {
		if !slices.Contains(distinct, text) {
			distinct = append(distinct, text)
		}
	}
	return distinct
}

// Where returns the rows in which the column has the value, a string, int or float64.
func (t *Table) Where(column string, value any) *Table {
	var rows []int
	want := fmt.Sprint(value)
	if x, ok := value.(float64); ok {
		want = Format(x)
	}
	for i, s := range t.Texts(column) {
		if s == want {
			rows = append(rows, i)
		}
	}
	return t.Rows(rows)
}

// Needs returns an error if the table lacks one of the columns.
func (t *Table) Needs(columns ...string) error {
	for _, c := range columns {
		if !t.Has(c) {
			return fmt.Errorf("%s is not a column; there are: %s", c, strings.Join(Names(t.Columns), ", "))
		}
	}
	return nil
}

// Select returns the rows that match all filters "column=text". It returns an error if no row does.
func (t *Table) Select(filters ...string) (*Table, error) {
	for _, f := range filters {
		column, text, _ := strings.Cut(f, "=")
		if err := t.Needs(column); err != nil {
			return nil, err
		}
		values := t.Distinct(column)
		if t = t.Where(column, text); t.Len() == 0 {
			return nil, fmt.Errorf("no row has %s; allowed: %s", f, strings.Join(values[:min(len(values), 20)], ", "))
		}
	}
	return t, nil
}

// Rows returns the rows with these indices, in order.
func (t *Table) Rows(rows []int) *Table {
	out := &Table{Name: t.Name, Packed: t.Packed, Columns: slices.Clone(t.Columns)}
	for k, from := range t.Columns {
		c := &out.Columns[k]
		c.Texts, c.Nums = nil, nil
		for _, i := range rows {
			if c.Kind == Words {
				c.Texts = append(c.Texts, from.Texts[i])
			} else {
				c.Nums = append(c.Nums, from.Nums[i])
			}
		}
	}
	return out
}

func (t *Table) append(rows *Table) {
	same := func(a, b Column) bool { return a.Name == b.Name && a.Kind == b.Kind }
	if !slices.EqualFunc(t.Columns, rows.Columns, same) {
		panic(fmt.Sprintf("table: rows of %v for columns %v of %s", Names(rows.Columns), Names(t.Columns), t.Name))
	}
	for i, c := range rows.Columns {
		to := &t.Columns[i]
		to.Texts, to.Nums = append(to.Texts, c.Texts...), append(to.Nums, c.Nums...)
	}
}

// Tables is a list of tables with different names.
type Tables []*Table

// Get returns the table of the name, nil if there is none.
func (s Tables) Get(name string) *Table {
	t, _ := s.Read(name)
	return t
}

// Read returns the table of the name, or an error if there is none.
func (s Tables) Read(name string) (*Table, error) {
	for _, t := range s {
		if t.Name == name {
			return t, nil
		}
	}
	return nil, fmt.Errorf("no table %s", name)
}

// Merge concatenates equally named tables in the order of the lists; tables are in order of appearance.
func Merge(lists []Tables) (merged Tables) {
	for _, tables := range lists {
		for _, t := range tables {
			rows := merged.Get(t.Name)
			if rows == nil {
				rows = t.Rows(nil)
				merged = append(merged, rows)
			}
			rows.append(t)
		}
	}
	return merged
}
