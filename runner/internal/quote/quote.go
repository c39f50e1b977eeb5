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

// Tables reads the table of a name.
type Tables func(name string) (*table.Table, error)

var references = regexp.MustCompile(`\{([^{}]*)\}`)

// Fill returns the text with each reference in braces replaced by a number of the tables, or the first error.
// A reference has the name of a table, the fields that identify one row, the column, a factor if it is not 1,
// and a format; "ci" adds the interval of a mean:
//
//	{summary method=adf error 100 %.1f}      2.4
//	{summary method=adf error 100 %.1f ci}   2.4 (2.1 to 2.8)
//	{runs method=adf loss infinite %.0f}     3
//
// The last reference has a statistic of all rows with these fields: the median, how many numbers are
// infinite, or the count of rows.
func Fill(text string, read Tables) (string, error) {
	var failed error
	filled := references.ReplaceAllStringFunc(text, func(braces string) string {
		number, err := quote(strings.Trim(braces, "{}"), read, "%s", "%s (%s to %s)")
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

// quote returns the number of a reference in the layout plain, or with its interval in another layout.
func quote(reference string, read Tables, plain, interval string) (string, error) {
	n, err := find(reference, read)
	switch {
	case err != nil:
		return "", err
	case n.format == "":
		return "", errors.New("need a format, such as %.1f")
	case !n.interval:
		return fmt.Sprintf(plain, n.round(n.x)), nil
	case math.IsNaN(n.low):
		return "", errors.New("there is no interval")
	}
	return fmt.Sprintf(interval, n.round(n.x), n.round(n.low), n.round(n.high)), nil
}

type number struct {
	// What the reference says:
	table, column string
	fields        []string                // KEY=VALUE texts that select rows
	statistic     func([]float64) float64 // statistic of the selected rows; nil: fields select one row
	factor        float64
	format        string // format of the number; "": the field is text
	interval      bool   // the interval is quoted, too
	optional      bool   // no row need have the fields
	best          string // "lowest" or "highest": which number of a column of LaTeX is bold

	// What the table has:
	text         string  // the field as it is stored
	x, low, high float64 // number and interval, times factor; NaN: no interval
}

var formats = regexp.MustCompile(`^%\.[0-9]f$`)

var statistics = map[string]func(xs []float64) float64{
	"count": func(xs []float64) float64 { return float64(len(xs)) },
	"infinite": func(xs []float64) float64 {
		return float64(len(slices.DeleteFunc(xs, func(x float64) bool { return !math.IsInf(x, 1) })))
	},
	"median": table.Median,
}

// find returns the number of a reference, also after [errNoValue].
func find(reference string, read Tables) (number, error) {
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
		case word == "optional":
			n.optional = true
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
	err := n.fill(read)
	return n, err
}

var errNoValue = errors.New("no value")

func (n *number) fill(read Tables) error {
	t, err := read(n.table)
	if err != nil {
		return err
	}
	for _, field := range n.fields { // a field that no row has is a mistake, unless it is optional
		if _, unknown := t.Select(field); !n.optional {
			err = cmp.Or(err, unknown)
		}
	}
	if err = cmp.Or(err, t.Needs(n.column)); err != nil {
		return err
	}
	rows, none := t.Select(n.fields...)
	switch {
	case none != nil:
		return fmt.Errorf("%w: %w", errNoValue, none)
	case n.statistic != nil:
		n.x = n.factor * n.statistic(rows.Nums(n.column))
		return nil
	case rows.Len() != 1:
		return fmt.Errorf("%d rows have these fields; need one", rows.Len())
	}
	if n.text = rows.Texts(n.column)[0]; n.text == "" {
		return fmt.Errorf("%w: the field is empty", errNoValue)
	}
	if n.x, err = strconv.ParseFloat(n.text, 64); err != nil && n.format != "" {
		return fmt.Errorf("need a number, not %q", n.text)
	}
	n.x *= n.factor
	if low, high := n.column+"_low", n.column+"_high"; rows.Has(low) && rows.Has(high) {
		n.low, n.high = n.factor*rows.Nums(low)[0], n.factor*rows.Nums(high)[0]
	}
	return nil
}

var negativeZero = regexp.MustCompile(`^-(0[.0]*)$`)

// round returns a number in the format of the reference. A number that is rounded to zero has no sign.
func (n *number) round(x float64) string {
	return negativeZero.ReplaceAllString(fmt.Sprintf(n.format, x), "$1")
}
