package table

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
)

// CSV returns the table as CSV text with a header line (RFC 4180, lines ended by "\n").
func (t *Table) CSV() []byte {
	var buf bytes.Buffer
	w := csv.NewWriter(&buf) // writing to a bytes.Buffer cannot fail
	w.Write(Names(t.Columns))
	row := make([]string, len(t.Columns))
	for i := range t.Len() {
		for k, c := range t.Columns {
			if c.Kind == Words {
				row[k] = c.Texts[i]
			} else {
				row[k] = Format(c.Nums[i])
			}
		}
		w.Write(row)
	}
	w.Flush()
	return buf.Bytes()
}

// Read reads a table from CSV text with a header line. A column of empty fields and numbers as [Format]
// spells them holds numbers, any other words.
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
