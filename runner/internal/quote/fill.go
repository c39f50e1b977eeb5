package quote

import (
	"cmp"
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
	format, s := words[last], Source{From: words[0]}
	if x, err := strconv.ParseFloat(words[last-1], 64); err == nil {
		s.Factor, last = x, last-1
	}
	s.Row, s.Column = strings.Join(words[1:last-1], " "), words[last-1]
	t := tables.Get(s.From)
	if t == nil {
		return "", fmt.Errorf("no table %s", s.From)
	}
	rows, err := where(t, s.Row)
	number := func(suffix string) string {
		end := s
		end.Column += suffix
		x, bad := end.number(end.text(rows, err))
		err = cmp.Or(err, bad)
		return strings.Replace(fmt.Sprintf(format, x), "-", "−", 1)
	}
	text := number("")
	if interval {
		text += fmt.Sprintf(" (%s to %s)", number("_low"), number("_high"))
	}
	return text, err
}

// where returns the rows that have the fields, "key=value" separated by spaces.
func where(rows *table.Table, fields string) (*table.Table, error) {
	for field := range strings.FieldsSeq(fields) {
		key, value, ok := strings.Cut(field, "=")
		if !ok || !rows.Has(key) {
			return nil, noColumn(rows.Name, key, rows)
		}
		rows = rows.Where(key, value)
	}
	return rows, nil
}
