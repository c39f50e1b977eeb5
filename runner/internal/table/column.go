package table

import (
	"math"
	"slices"
	"strconv"
)

// Kind is the kind of the values of a column. The intervals of means stay in the range of the kind.
type Kind int

const (
	Words     Kind = iota // text
	Integers              // 0, 1, 2, …
	Flags                 // 0 or 1
	Numbers               // any numbers
	Positives             // 0 or more
	Shares                // from 0 to 1
)

// Column is a variable with its values, which are in Texts for Words and in Nums for the other kinds.
type Column struct {
	Name, Doc string // Doc describes the variable, with its unit, for the README of the results
	Kind      Kind
	Digits    int // significant digits to which numbers are rounded; 0: they are not rounded
	Texts     []string
	Nums      []float64 // numbers; NaN: no value
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

// Rounded returns the column, whose numbers will be rounded to so many significant digits.
func (c Column) Rounded(digits int) Column {
	c.Digits = digits
	return c
}

// Names returns the names of columns.
func Names(columns []Column) (names []string) {
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return names
}

// add appends a value and reports whether it fits the kind.
func (c *Column) add(value any) bool {
	integers := c.Kind == Integers || c.Kind == Flags
	switch v := value.(type) {
	case string:
		c.Texts = append(c.Texts, v)
		return c.Kind == Words
	case bool:
		if v {
			return c.add(1)
		}
		return c.add(0)
	case int:
		c.Nums = append(c.Nums, float64(v))
		return c.Kind != Words
	case float64:
		c.Nums = append(c.Nums, Round(v, c.Digits))
		return c.Kind != Words && (!integers || math.IsNaN(v) || v == math.Trunc(v))
	}
	return false
}

// Round returns x rounded to so many significant digits, for 0 as it is.
func Round(x float64, digits int) float64 {
	if digits > 0 {
		x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64) // FormatFloat writes a number
	}
	return x
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
