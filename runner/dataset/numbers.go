package dataset

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// number reads a number as programming languages write it: sign, digits, one decimal mark, exponent.
// A missing one is NaN.
func (l Layout) number(cell string) (x float64, ok bool) {
	if IsMissing(cell) {
		return math.NaN(), true
	}
	if l.Decimal == "," {
		if strings.Contains(cell, ".") {
			return 0, false
		}
		cell = strings.Replace(cell, ",", ".", 1)
	}
	if strings.Trim(cell, "0123456789+-.eE") != "" { // underscores, hexadecimal numbers, infinities
		return 0, false
	}
	x, err := strconv.ParseFloat(cell, 64)
	return x, err == nil
}

// numbers returns the numbers in column k, row by row, NaN where one is missing, and the rows that have none.
func (t *Table) numbers(k int, l Layout) (x []float64, wrong []int) {
	x = make([]float64, len(t.Cells))
	for i, row := range t.Cells {
		var ok bool
		if x[i], ok = l.number(row[k]); !ok {
			wrong = append(wrong, i)
		}
	}
	return x, wrong
}

// problem says what is wrong with a column of numbers, and which key puts it right; "" if nothing is.
func (t *Table) problem(k int) string {
	name, l := t.Columns[k], t.layout
	_, wrong := t.numbers(k, l)
	if wrong == nil {
		return t.thousands(k)
	}
	comma := Layout{Separator: l.Separator, Decimal: ","}
	if _, still := t.numbers(k, comma); still == nil && comma.Validate() == nil {
		return fmt.Sprintf(`%s are not numbers with the decimal mark "."; decimal = "," reads them`,
			t.some(k, wrong))
	}
	words := map[string]bool{}
	for _, row := range t.Cells {
		if !IsMissing(row[k]) {
			words[row[k]] = true
		}
	}
	return fmt.Sprintf("%s are not numbers; ignore = [%q] leaves the column out, categorical = [%[2]q] makes "+
		"an input of each of its %d values",
		t.some(k, wrong), name, len(words))
}

// thousands says that decimal commas may separate thousands: each has three digits behind it, and
// one to three before it.
func (t *Table) thousands(k int) string {
	var rows []int
	for i, row := range t.Cells {
		before, after, found := strings.Cut(strings.TrimLeft(row[k], "+-"), ",")
		switch {
		case !found:
		case len(after) == 3 && 0 < len(before) && len(before) <= 3 && before[0] != '0':
			rows = append(rows, i)
		default:
			return ""
		}
	}
	if rows == nil {
		return ""
	}
	return fmt.Sprintf(`%s: three digits follow each comma, so that it may separate thousands; write the `+
		`numbers with `+
		`another number of decimals or, if it does, without commas`, t.some(k, rows))
}

// some lists the column and up to three of its cells with their lines.
func (t *Table) some(k int, rows []int) string {
	const most = 3
	var cells []string
	for _, i := range rows[:min(most, len(rows))] {
		cells = append(cells, fmt.Sprintf("%.40q (line %d)", t.Cells[i][k], t.Line[i]))
	}
	text := strings.Join(cells, ", ")
	if n := len(rows) - len(cells); n > 0 {
		text += fmt.Sprintf(" and %d others", n)
	}
	return t.Columns[k] + ": " + text
}

// fit returns an error with a line for each of the columns that is not what it should be: numbers, unless it
// is one of words, without missing cells where these are errors.
func (t *Table) fit(columns []int, words []string, missing Missing) error {
	var problems []string
	for _, k := range columns {
		if !slices.Contains(words, t.Columns[k]) {
			if p := t.problem(k); p != "" {
				problems = append(problems, p)
			}
		}
	}
	for _, k := range columns {
		var gaps []int
		for i, row := range t.Cells {
			if IsMissing(row[k]) {
				gaps = append(gaps, i)
			}
		}
		if gaps != nil && missing != MissingDrop && missing != MissingMean {
			problems = append(problems, t.some(k, gaps)+` have no value; missing = "drop" leaves their rows out,`+
				` missing = "mean" puts the mean in the place of inputs`)
		}
	}
	switch len(problems) {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("%s: %s", t.File, problems[0])
	}
	return fmt.Errorf("%s: %d columns cannot be read:\n  %s", t.File, len(problems),
		strings.Join(problems, "\n  "))
}
