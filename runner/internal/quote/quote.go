// Package quote puts numbers of tables into texts and LaTeX.
package quote

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"closedform/runner/internal/table"
)

// Tables are tables by their names, such as a [table.Set].
type Tables interface {
	Get(name string) *table.Table // nil: none
}

var references = regexp.MustCompile(`\{([^{}]*)\}`)

// Fill returns the text with each reference in braces replaced by a number of the tables, or the
// first error. A reference has the table, the fields that identify one row, the column, a
// factor if it is not 1, and a format; "ci" adds the interval of a mean:
//
//	{summary method=adf error 100 %.1f}      2.4
//	{summary method=adf error 100 %.1f ci}   2.4 (2.1 to 2.8)
//	{runs method=adf floored positive %.0f}  3
//
// The last has a statistic of all rows that have the fields: greatest, median, how many are positive or
// infinite, or, by count, how many rows there are.
func Fill(text string, tables Tables) (string, error) {
	var failed error
	filled := references.ReplaceAllStringFunc(text, func(braces string) string {
		number, err := quote(strings.Trim(braces, "{}"), tables, "%s", "%s (%s to %s)")
		if err != nil {
			failed = cmp.Or(failed, fmt.Errorf("%s: %w", braces, err))
		}
		return strings.ReplaceAll(number, "-", "−")
	})
	if failed != nil {
		return "", failed
	}
	return filled, nil
}

// quote returns a number alone, or with its interval.
func quote(reference string, tables Tables, alone, interval string) (string, error) {
	n, err := read(reference, tables)
	switch {
	case err != nil:
		return "", err
	case n.format == "":
		return "", errors.New("need a format, such as %.1f")
	case !n.interval:
		return fmt.Sprintf(alone, n.spell(n.x)), nil
	case math.IsNaN(n.low):
		return "", fmt.Errorf("%s has no interval in the row of %s with %q", n.column, n.table, n.fields)
	}
	return fmt.Sprintf(interval, n.spell(n.x), n.spell(n.low), n.spell(n.high)), nil
}

// number is what a reference names.
type number struct {
	table, column string
	fields        []string // key=value
	of            string   // a key of statistics
	factor        float64
	format        string // "": the field is text
	interval      bool
	best          string // lowest or highest: which of a column of LaTeX is bold

	text         string // the field as it is stored
	x, low, high float64
}

var formats = regexp.MustCompile(`^%\.[0-9]f$`)

// statistics are those of all rows.
var statistics = map[string]func(xs []float64) float64{
	"count":    func(xs []float64) float64 { return float64(len(xs)) },
	"positive": func(xs []float64) float64 { return above(0, xs) },
	"infinite": func(xs []float64) float64 { return above(math.MaxFloat64, xs) },
	"greatest": slices.Max[[]float64],
	"median": func(xs []float64) float64 {
		slices.Sort(xs)
		return (xs[(len(xs)-1)/2] + xs[len(xs)/2]) / 2
	},
}

func above(limit float64, xs []float64) (n float64) {
	for _, x := range xs {
		if x > limit {
			n++
		}
	}
	return n
}

// read returns the number of a reference. It may have no format where its text is wanted.
func read(reference string, tables Tables) (number, error) {
	n := number{factor: 1}
	for i, word := range strings.Fields(reference) {
		factor, err := strconv.ParseFloat(word, 64)
		switch {
		case i == 0:
			n.table = word
		case strings.Contains(word, "="):
			n.fields = append(n.fields, word)
		case word == "ci":
			n.interval = true
		case word == "lowest" || word == "highest":
			n.best = word
		case statistics[word] != nil:
			n.of = word
		case formats.MatchString(word):
			n.format = word
		case err == nil:
			n.factor = factor
		case n.column == "":
			n.column = word
		default:
			return n, fmt.Errorf("%s is not allowed after the column %s; allowed: a factor, a statistic, ci, and a "+
				"format %%.Nf with a digit N", word, n.column)
		}
	}
	if n.column == "" {
		return n, errors.New("need a table, fields, a column and a format")
	}
	rows, err := find(tables, n.table, n.fields, n.column)
	if err != nil {
		return n, err
	}
	return n, n.take(rows)
}

// find returns the rows of a table that have the fields. It is an error if there are none.
func find(tables Tables, name string, fields []string, columns ...string) (rows *table.Table, err error) {
	if rows = tables.Get(name); rows == nil {
		return nil, fmt.Errorf("no table %s", name)
	}
	if rows, err = rows.Select(fields...); err == nil {
		err = rows.Needs(columns...)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return rows, nil
}

// take takes the number of the only row, or the statistic of all. Without an interval low and high are NaN.
func (n *number) take(rows *table.Table) error {
	n.low, n.high = math.NaN(), math.NaN()
	if statistic := statistics[n.of]; statistic != nil {
		n.x = n.factor * statistic(rows.Nums(n.column))
		return nil
	}
	if rows.Len() != 1 {
		return fmt.Errorf("%d rows of %s have %q; need one", rows.Len(), n.table, n.fields)
	}
	if n.text = rows.Texts(n.column)[0]; n.text == "" {
		return fmt.Errorf("%s is empty in the row of %s with %q", n.column, n.table, n.fields)
	}
	if n.format == "" {
		return nil
	}
	var err error
	if n.x, err = strconv.ParseFloat(n.text, 64); err != nil {
		return fmt.Errorf("%s is %q in the row of %s with %q; need a number", n.column, n.text, n.table, n.fields)
	}
	n.x *= n.factor
	if low, high := n.column+"_low", n.column+"_high"; rows.Has(low) && rows.Has(high) {
		n.low, n.high = n.factor*rows.Nums(low)[0], n.factor*rows.Nums(high)[0]
	}
	return nil
}

// spell writes what rounds to zero without a sign.
func (n number) spell(x float64) string {
	text := fmt.Sprintf(n.format, x)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}
