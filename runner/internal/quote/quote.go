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

// Fill returns the text with each reference in braces replaced by a number of the tables, or the first error.
// A reference has the table, the fields that identify one row, the column, a factor if it is not 1, and a
// format; "ci" adds the interval of a mean:
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
		if err != nil {
			failed = cmp.Or(failed, fmt.Errorf("%s: %w", braces, err))
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
		return "", errors.New("there is no interval")
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
	n := number{factor: 1, low: math.NaN()}
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
			return n, fmt.Errorf("%s is not allowed; allowed: a factor, a statistic, ci, a format %%.Nf", word)
		}
	}
	if n.column == "" {
		return n, errors.New("need a table, fields, a column and a format")
	}
	return n.find(tables)
}

var errNoValue = errors.New("no value")

func (n number) find(tables Tables) (number, error) {
	t, err := tables(n.table)
	if err != nil {
		return n, err
	}
	for _, field := range n.fields { // a field that no row has is wrong, not one without a value
		_, unknown := t.Select(field)
		err = cmp.Or(err, unknown)
	}
	if err = cmp.Or(err, t.Needs(n.column)); err != nil {
		return n, err
	}
	rows, none := t.Select(n.fields...)
	switch {
	case none != nil:
		return n, fmt.Errorf("%w: %w", errNoValue, none)
	case n.statistic != nil:
		n.x = n.factor * n.statistic(rows.Nums(n.column))
		return n, nil
	case rows.Len() != 1:
		return n, fmt.Errorf("%d rows have these fields; need one", rows.Len())
	}
	if n.text = rows.Texts(n.column)[0]; n.text == "" {
		return n, fmt.Errorf("%w: the field is empty", errNoValue)
	}
	if n.x, err = strconv.ParseFloat(n.text, 64); err != nil && n.format != "" {
		return n, fmt.Errorf("need a number, not %q", n.text)
	}
	n.x *= n.factor
	if low, high := n.column+"_low", n.column+"_high"; rows.Has(low) && rows.Has(high) {
		n.low, n.high = n.factor*rows.Nums(low)[0], n.factor*rows.Nums(high)[0]
	}
	return n, nil
}

var negative = regexp.MustCompile(`^-(0[.0]*)$`) // a zero after rounding

func (n number) spell(x float64) string {
	return negative.ReplaceAllString(fmt.Sprintf(n.format, x), "$1")
}
