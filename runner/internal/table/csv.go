package table

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
)

// CSV returns the table as text with a header line (RFC 4180, lines ended by "\n").
func (t *Table) CSV() []byte {
	var buf bytes.Buffer
	w := csv.NewWriter(&buf)
	rows := make([][]string, 1+t.Len())
	for k := range t.Columns {
		for i, text := range append([]string{t.Columns[k].Name}, t.Columns[k].texts()...) {
			rows[i] = append(rows[i], text)
		}
	}
	for _, row := range rows { // writing to a bytes.Buffer cannot fail
		if w.Write(row); len(row) == 1 && row[0] == "" {
			w.Flush()
			buf.Truncate(buf.Len() - 1)
			buf.WriteString("\"\"\n") // as a blank line is no row
		}
	}
	w.Flush()
	return buf.Bytes()
}

// Read reads a table from CSV text with a header line. A column of which every field is
// empty or a number as [Format] spells it holds numbers, any other words.
func Read(name string, r io.Reader) (*Table, error) {
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", name, err)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("table %s: it has no header line", name)
	}
	t := New(name)
	for k, column := range rows[0] {
		c := Text(column, "")
		for _, row := range rows[1:] {
			c.Texts = append(c.Texts, row[k])
		}
		if nums, ok := parse(c.Texts); ok {
			c.Kind, c.Nums, c.Texts = Numbers, nums, nil
		}
		t.Columns = append(t.Columns, c)
	}
	return t, nil
}

func parse(fields []string) (nums []float64, ok bool) {
	for _, s := range fields {
		x := math.NaN()
		if s != "" {
			var err error
			if x, err = strconv.ParseFloat(s, 64); err != nil || Format(x) != s {
				return nil, false
			}
		}
		nums = append(nums, x)
	}
	return nums, true
}
