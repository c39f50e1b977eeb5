package table

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// manyRows is the number of rows beyond which a table is rounded; its means keep all digits.
const manyRows = 500

// CSV returns the table as CSV text with a header line (RFC 4180, lines ended by "\n"). Numbers of a table
// with more than manyRows rows are rounded to ten digits.
func (t *Table) CSV() []byte {
	digits := 0
	if t.Len() > manyRows {
		digits = 10
	}
	var buf bytes.Buffer
	w := csv.NewWriter(&buf) // writing to a bytes.Buffer cannot fail
	w.Write(Names(t.Columns))
	row := make([]string, len(t.Columns))
	for i := range t.Len() {
		for k, c := range t.Columns {
			if c.Kind == Words {
				row[k] = c.Texts[i]
			} else {
				row[k] = Format(Round(c.Nums[i], digits))
			}
		}
		w.Write(row)
	}
	w.Flush()
	return buf.Bytes()
}

// Read reads a table from CSV text with a header line. A column holds numbers if each of its fields is empty
// or a number as [Format] writes it, and words otherwise.
func Read(name string, r io.Reader) (*Table, error) {
	rows, err := csv.NewReader(r).ReadAll()
	if err == nil && len(rows) == 0 {
		err = errors.New("it has no header line")
	}
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", name, err)
	}
	t := New(name)
	for k, column := range rows[0] {
		words, numbers := Text(column, ""), Num(column, "")
		for _, row := range rows[1:] {
			x, _ := strconv.ParseFloat(cmp.Or(row[k], "NaN"), 64) // x is 0 for a word
			if words.Texts = append(words.Texts, row[k]); Format(x) == row[k] {
				numbers.Nums = append(numbers.Nums, x)
			}
		}
		if len(numbers.Nums) == len(words.Texts) {
			words = numbers
		}
		t.Columns = append(t.Columns, words)
	}
	return t, nil
}
