// Package table has tidy tables with typed columns: a row for each observation, a column for each variable.
package table

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Kind is what a column holds: text or, in the other kinds, numbers in a range or no value. The intervals of
// means stay in the range.
type Kind int

const (
	Words     Kind = iota // text
	Integers              // 0, 1, 2, …
	Flags                 // 0 or 1
	Numbers               // any numbers
	Positives             // 0 or more
	Shares                // from 0 to 1
)

// Column is a variable. Integers are stored as numbers; NaN is no value.
type Column struct {
	Name, Doc string // Doc says what it is, with its unit, for the README of the results
	Kind      Kind
	Digits    int // significant digits that numbers are rounded to; 0: none
	Texts     []string
	Nums      []float64
}

// Text returns an empty column of words.
func Text(name, doc string) Column { return Column{Name: name, Doc: doc} }

// Int returns an empty column of integers, counts or ordinals.
func Int(name, doc string) Column { return Column{Name: name, Doc: doc, Kind: Integers} }

// Flag returns an empty column of zeros and ones.
func Flag(name, doc string) Column { return Column{Name: name, Doc: doc, Kind: Flags} }

// Num returns an empty column of numbers.
func Num(name, doc string) Column { return Column{Name: name, Doc: doc, Kind: Numbers} }

// Positive returns an empty column of numbers that are 0 or more.
func Positive(name, doc string) Column { return Column{Name: name, Doc: doc, Kind: Positives} }

// Share returns an empty column of numbers from 0 to 1.
func Share(name, doc string) Column { return Column{Name: name, Doc: doc, Kind: Shares} }

// Rounded returns the column with numbers rounded to so many significant digits.
func (c Column) Rounded(digits int) Column {
	c.Digits = digits
	return c
}

// Table is a table; its name is that of its file without extension.
type Table struct {
	Name    string
	Packed  bool // large: stored compressed, and not committed
	Columns []Column
}

// Names returns the names of columns.
func Names(columns []Column) (names []string) {
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return names
}

// New returns a table without rows.
func New(name string, columns ...Column) *Table {
	return &Table{Name: name, Columns: slices.Clone(columns)} // as tables may be of the same columns
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

func (c *Column) add(value any) bool {
	integers := c.Kind == Integers || c.Kind == Flags
	switch v := value.(type) {
	case string:
		c.Texts = append(c.Texts, v)
		return c.Kind == Words
	case bool:
		x := 0.0
		if v {
			x = 1
		}
		c.Nums = append(c.Nums, x)
		return integers
	case int:
		c.Nums = append(c.Nums, float64(v))
		return c.Kind != Words
	case float64:
		c.Nums = append(c.Nums, c.round(v))
		return c.Kind != Words && (!integers || math.IsNaN(v) || v == math.Trunc(v))
	}
	return false
}

func (c *Column) round(x float64) float64 {
	if c.Digits == 0 {
		return x
	}
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', c.Digits, 64), 64) // it was just spelled
	return y
}

// Format spells a number: the shortest decimal that reads back as x, "" for NaN, "+Inf" and "-Inf".
func Format(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// Gaps returns n missing values.
func Gaps(n int) []float64 { return slices.Repeat([]float64{math.NaN()}, n) }

// Finite returns x if it is finite, else NaN.
func Finite(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.NaN()
	}
	return x
}

// Has reports whether there is a column of the name.
func (t *Table) Has(column string) bool { return slices.Contains(Names(t.Columns), column) }

func (t *Table) column(name string) *Column {
	i := slices.Index(Names(t.Columns), name)
	if i < 0 {
		panic(fmt.Sprintf("table: %s has no column %s", t.Name, name))
	}
	return &t.Columns[i]
}

// Texts returns a column as it is stored.
func (t *Table) Texts(column string) []string {
	c := t.column(column)
	texts := slices.Clone(c.Texts)
	for _, x := range c.Nums {
		texts = append(texts, Format(x))
	}
	return texts
}

// Nums returns a column of numbers; NaN is no value.
func (t *Table) Nums(column string) []float64 {
	c := t.column(column)
	if c.Kind == Words && t.Len() > 0 {
		panic(fmt.Sprintf("table: column %s of %s is not of numbers", column, t.Name))
	}
	return slices.Clone(c.Nums)
}

// Distinct returns the different texts of a column in the order of their appearance.
func (t *Table) Distinct(column string) (distinct []string) {
	for _, text := range t.Texts(column) {
		if !slices.Contains(distinct, text) {
			distinct = append(distinct, text)
		}
	}
	return distinct
}

// Where returns the rows with the value, a string, int or float64, in the column.
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

// Needs returns an error unless the table has the columns.
func (t *Table) Needs(columns ...string) error {
	for _, c := range columns {
		if !t.Has(c) {
			return fmt.Errorf("%s is not a column; there are: %s", c, strings.Join(Names(t.Columns), ", "))
		}
	}
	return nil
}

// Select returns the rows that match all filters "column=text". It returns an error if there are none.
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

// Set is some tables with different names.
type Set []*Table

// Get returns the table of the name, nil if there is none.
func (s Set) Get(name string) *Table {
	if i := slices.IndexFunc(s, func(t *Table) bool { return t.Name == name }); i >= 0 {
		return s[i]
	}
	return nil
}

// Read returns the table of the name, or an error if there is none.
func (s Set) Read(name string) (*Table, error) {
	if t := s.Get(name); t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("no table %s", name)
}

// Rounded returns the table with numbers rounded to significant digits.
func (t *Table) Rounded(digits int) *Table {
	out := &Table{Name: t.Name, Packed: t.Packed, Columns: slices.Clone(t.Columns)}
	for k := range out.Columns {
		c := &out.Columns[k]
		c.Nums, c.Digits = slices.Clone(c.Nums), digits
		for i, x := range c.Nums {
			c.Nums[i] = c.round(x)
		}
	}
	return out
}

// Merge concatenates equally named tables in the order of the sets; tables are in order of appearance.
func Merge(sets []Set) (merged Set) {
	for _, set := range sets {
		for _, t := range set {
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
