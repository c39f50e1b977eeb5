package quote

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"closedform/runner/internal/table"
)

var references = regexp.MustCompile(`\{([^{}]*)\}`)

// Tables are tables by their names: a [table.Set], or [Results], whose names are EXPERIMENT/TABLE.
type Tables interface {
	Get(name string) *table.Table // nil: none
}

// Fill returns the text with each reference in braces replaced by a number of the tables, or the
// first error. A reference has the table, the fields that identify one row, the column, a
// factor if it is not 1, and a format; "ci" adds the interval of a mean:
//
//	{summary method=adf error 100 %.1f}      2.4
//	{summary method=adf error 100 %.1f ci}   2.4 (2.1 to 2.8)
func Fill(text string, tables Tables) (string, error) {
	var first error
	filled := references.ReplaceAllStringFunc(text, func(reference string) string {
		number, err := look(strings.Fields(strings.Trim(reference, "{}")), tables)
		if err != nil && first == nil {
			first = fmt.Errorf("%s: %w", reference, err)
		}
		return number
	})
	if first != nil {
		return "", first
	}
	return filled, nil
}

// look returns the number of a reference, given its words.
func look(words []string, tables Tables) (string, error) {
	interval := len(words) > 0 && words[len(words)-1] == "ci"
	if interval {
		words = words[:len(words)-1]
	}
	if len(words) < 3 {
		return "", fmt.Errorf("need a table, fields, a column and a format")
	}
	last := len(words) - 1
	format, factor := words[last], 1.0
	if x, err := strconv.ParseFloat(words[last-1], 64); err == nil {
		factor, last = x, last-1
	}
	t, column := tables.Get(words[0]), words[last-1]
	if t == nil {
		return "", fmt.Errorf("no table %s", words[0])
	}
	rows, err := where(t, words[1:last-1])
	if err != nil {
		return "", err
	}
	if rows.Len() != 1 {
		return "", fmt.Errorf("%d rows of %s; need one", rows.Len(), t.Name)
	}
	number := func(column string) string {
		if !rows.Has(column) {
			err = noColumn(t.Name, column, rows)
			return ""
		}
		x, bad := strconv.ParseFloat(rows.Texts(column)[0], 64)
		if bad != nil {
			err = fmt.Errorf("%s of %s is %q; need a number", column, t.Name, rows.Texts(column)[0])
		}
		return strings.Replace(fmt.Sprintf(format, factor*x), "-", "−", 1)
	}
	text := number(column)
	if interval {
		text += fmt.Sprintf(" (%s to %s)", number(column+"_low"), number(column+"_high"))
	}
	return text, err
}

// where returns the rows that have the fields, each as "key=value".
func where(rows *table.Table, fields []string) (*table.Table, error) {
	for _, field := range fields {
		key, value, ok := strings.Cut(field, "=")
		if !ok || !rows.Has(key) {
			return nil, noColumn(rows.Name, key, rows)
		}
		rows = rows.Where(key, value)
	}
	return rows, nil
}
