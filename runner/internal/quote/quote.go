// Package quote puts numbers of published tables into texts and LaTeX.
package quote

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"closedform/runner/internal/store"
	"closedform/runner/internal/table"
)

// Tables returns the table of a name, or why there is none.
type Tables func(name string) (*table.Table, error)

// Of returns the tables of a set.
func Of(set table.Set) Tables {
	return func(name string) (*table.Table, error) {
		if t := set.Get(name); t != nil {
			return t, nil
		}
		return nil, fmt.Errorf("no table %s", name)
	}
}

// Published returns the tables in a folder of results, called EXPERIMENT/TABLE. Each is read once.
func Published(folder string) Tables {
	tables := map[string]*table.Table{}
	return func(name string) (t *table.Table, err error) {
		if t = tables[name]; t != nil {
			return t, nil
		}
		experiment, file, _ := strings.Cut(name, "/")
		results, err := store.OpenResults(filepath.Join(folder, experiment))
		if err == nil {
			t, err = results.Table(file)
		}
		tables[name] = t
		return t, err
	}
}

var references = regexp.MustCompile(`\{([^{}]*)\}`)

// Fill returns the text with each reference in braces replaced by a number of the tables, or the
// first error. A reference has the table, the fields that identify one row, the column, a
// factor if it is not 1, and a format; "ci" adds the interval of a mean:
//
//	{summary method=adf error 100 %.1f}      2.4
//	{summary method=adf error 100 %.1f ci}   2.4 (2.1 to 2.8)
//	{runs method=adf loss infinite %.0f}     3
//
// The last has a statistic of all rows that have the fields: greatest, median, or how many (infinite, count).
func Fill(text string, tables Tables) (string, error) {
	var failed error
	filled := references.ReplaceAllStringFunc(text, func(braces string) string {
		number, err := quote(strings.Trim(braces, "{}"), tables, "%s", "%s (%s to %s)")
		if err != nil && failed == nil {
			failed = fmt.Errorf("%s: %w", braces, err)
		}
		return strings.ReplaceAll(number, "-", "−")
	})
	if failed != nil {
		filled = ""
	}
	return filled, failed
}

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

type number struct {
	table, column string
	fields        []string                // key=value
	statistic     func([]float64) float64 // of all rows; nil: the only row
	factor        float64
	format        string // "": the field is text
	interval      bool
	best          string // lowest or highest: which of a column of LaTeX is bold

	text         string // the field as it is stored
	x, low, high float64
}

var formats = regexp.MustCompile(`^%\.[0-9]f$`)

var statistics = map[string]func(xs []float64) float64{
	"count": func(xs []float64) float64 { return float64(len(xs)) },
	"infinite": func(xs []float64) float64 {
		return float64(len(slices.DeleteFunc(xs, func(x float64) bool { return !math.IsInf(x, 1) })))
	},
	"greatest": slices.Max[[]float64],
	"median": func(xs []float64) float64 {
		slices.Sort(xs)
		return (xs[(len(xs)-1)/2] + xs[len(xs)/2]) / 2
	},
}

func read(reference string, tables Tables) (number, error) {
	n := number{factor: 1, low: math.NaN(), high: math.NaN()}
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
			n.statistic = statistics[word]
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
	rows, err := n.find(tables)
	switch {
	case err != nil:
		return n, err
	case n.statistic != nil:
		n.x = n.factor * n.statistic(slices.Clone(rows.Nums(n.column)))
		return n, nil
	case rows.Len() != 1:
		return n, fmt.Errorf("%d rows of %s have %q; need one", rows.Len(), n.table, n.fields)
	}
	if n.text = rows.Texts(n.column)[0]; n.text == "" {
		return n, fmt.Errorf("%w: %s is empty in the row of %s with %q", errNoValue, n.column, n.table, n.fields)
	}
	if n.x, err = strconv.ParseFloat(n.text, 64); err != nil && n.format != "" {
		return n, fmt.Errorf("%s is %q in the row of %s with %q; need a number", n.column, n.text, n.table,
			n.fields)
	}
	n.x *= n.factor
	if low, high := n.column+"_low", n.column+"_high"; rows.Has(low) && rows.Has(high) {
		n.low, n.high = n.factor*rows.Nums(low)[0], n.factor*rows.Nums(high)[0]
	}
	return n, nil
}

var errNoValue = errors.New("no value")

func (n number) find(tables Tables) (*table.Table, error) {
	all, err := tables(n.table)
	if err != nil {
		return nil, err
	}
	for _, field := range n.fields { // a field that no row has is wrong, not one without a value
		_, unknown := all.Select(field)
		err = cmp.Or(err, unknown)
	}
	rows, none := all.Select(n.fields...)
	if err == nil && none != nil {
		err = fmt.Errorf("%w: %w", errNoValue, none)
	}
	if err = cmp.Or(err, all.Needs(n.column)); err != nil {
		err = fmt.Errorf("%s: %w", n.table, err)
	}
	return rows, err
}

// spell writes what rounds to zero without a sign.
func (n number) spell(x float64) string {
	text := fmt.Sprintf(n.format, x)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}
