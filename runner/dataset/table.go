package dataset

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"closedform/internal/field"
)

// Layout says how cells are separated and numbers are written in the file of a table.
type Layout struct {
	Separator string `toml:"separator,omitempty" json:"separator,omitempty"` // ",", the default, ";" or "tab"
	// the decimal mark: ".", the default, or ","
	Decimal string `toml:"decimal,omitempty" json:"decimal,omitempty"`
}

// Validate reports what is not allowed.
func (l Layout) Validate() error {
	if l.Decimal == "," && l.comma() == ',' {
		return field.Errorf("decimal",
			`"," is not allowed where "," separates cells; allowed: with separator = ";" or "tab"`)
	}
	return cmp.Or(field.OneOf("separator", cmp.Or(l.Separator, ","), ",", ";", "tab"),
		field.OneOf("decimal", cmp.Or(l.Decimal, "."), ".", ","))
}

// comma returns the separator.
func (l Layout) comma() rune {
	if l.Separator == "tab" {
		return '\t'
	}
	return []rune(cmp.Or(l.Separator, ","))[0]
}

// Table is what a file of comma-separated values has: text.
type Table struct {
	File    string
	Columns []string   // their names, which differ
	Cells   [][]string // row by row, without blanks at their ends
	Line    []int      // of the file, by row, from 1

	header int // its line
	layout Layout
}

// ReadTable reads a file as [ParseTable] does.
func ReadTable(path string, l Layout) (*Table, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return ParseTable(content, path, l)
}

// ParseTable reads a table in UTF-8, packed by gzip or not: a header line with the names of the columns,
// then rows with as many cells (RFC 4180). Blank lines, blanks round a cell, a byte order mark and CRLF
// line ends do not count. An error has the name of the file and the line.
func ParseTable(content []byte, file string, l Layout) (*Table, error) {
	text, err := Unpack(bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	rows, err := NewRows(text, file, l)
	if err != nil {
		return nil, err
	}
	t := rows.Table
	t.Cells, t.Line = nil, nil
	for {
		row, err := rows.Next()
		if err == io.EOF {
			return &t, rows.Err()
		} else if err != nil {
			return nil, err
		}
		t.Cells, t.Line = append(t.Cells, row.Cells[0]), append(t.Line, row.Line[0])
	}
}

// column returns the number of a column.
func (t *Table) column(name string) (int, error) {
	k := slices.Index(t.Columns, name)
	if k < 0 {
		return k, fmt.Errorf("%s:%d: no column %q; the columns are %s",
			t.File, max(t.header, 1), name, strings.Join(t.Columns, ", "))
	}
	return k, nil
}

// IsMissing reports whether a cell has no value: it is empty, NA, N/A, NaN, ? or null.
func IsMissing(cell string) bool {
	return len(cell) <= 4 && slices.Contains([]string{"", "na", "n/a", "nan", "?", "null"},
		strings.ToLower(cell))
}

// Rows reads a table row by row, as from a pipe: a row as soon as its line has come. It is not
// safe for concurrent use.
type Rows struct {
	Table // with the last row alone
	csv   *csv.Reader
	err   error
}

// NewRows reads the header line. An error has the name of the file.
func NewRows(r io.Reader, file string, l Layout) (*Rows, error) {
	if err := l.Validate(); err != nil {
		return nil, err
	}
	in := csv.NewReader(newLines(r, file))
	in.Comma = l.comma()
	in.FieldsPerRecord = -1 // Next says which line has too few cells
	in.TrimLeadingSpace = in.Comma != '\t'
	rows := &Rows{Table: Table{File: file, layout: l}, csv: in}
	if err := rows.next(); err == io.EOF {
		return nil, cmp.Or(rows.err, fmt.Errorf("%s: empty; need a header line, and a line for each row", file))
	} else if err != nil {
		return nil, err
	}
	t := &rows.Table
	t.Columns, t.header = t.Cells[0], t.Line[0]
	return rows, t.checkHeader()
}

// checkHeader returns an error if names are empty or double, or if there seems to be another separator.
func (t *Table) checkHeader() error {
	for word, mark := range map[string]string{",": ",", ";": ";", "tab": "\t"} {
		if n := strings.Count(t.Columns[0], mark); len(t.Columns) == 1 && n > 0 {
			return fmt.Errorf("%s:%d: one column, %q; separator = %q makes %d of it", t.File, t.header, t.Columns[0],
				word, n+1)
		}
	}
	for j, column := range t.Columns {
		if k := slices.Index(t.Columns, column); k < j {
			return fmt.Errorf("%s:%d: columns %d and %d are both called %q", t.File, t.header, k+1, j+1, column)
		} else if column == "" {
			return fmt.Errorf("%s:%d: column %d has no name; need one for each column", t.File, t.header, j+1)
		}
	}
	return nil
}

// Err returns the error of reading that Next and NextLine returned io.EOF for, if any.
func (r *Rows) Err() error { return r.err }

// Next returns a table of the next row, valid until the next call, or io.EOF. After another error, which
// has the line, the rows after it can still be read.
func (r *Rows) Next() (*Table, error) {
	if err := r.next(); err != nil {
		return nil, err
	}
	if t := &r.Table; len(t.Cells[0]) != len(t.Columns) {
		return t, fmt.Errorf("%s:%d: %d cells; need %d, as many as the header has", t.File, t.Line[0],
			len(t.Cells[0]), len(t.Columns))
	}
	return &r.Table, nil
}

// NextLine returns the next line that is not blank, for a value that belongs to the row before it.
func (r *Rows) NextLine() (string, error) {
	if err := r.next(); err != nil {
		return "", err
	}
	return strings.Join(r.Cells[0], string(r.csv.Comma)), nil
}

// next reads a record into the only row of the table.
func (r *Rows) next() error {
	record, err := r.csv.Read()
	if _, ok := errors.AsType[*lineError](err); ok {
		return err
	} else if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
		return fmt.Errorf("%s:%d: %w", r.File, wrong.StartLine, wrong.Err) // An open quote ends on the last line.
	} else if err != nil {
		if err != io.EOF {
			r.err = err
		}
		return io.EOF
	}
	for j := range record {
		record[j] = strings.TrimSpace(record[j])
	}
	line, _ := r.csv.FieldPos(0)
	r.Cells, r.Line = append(r.Cells[:0], record), append(r.Line[:0], line)
	return nil
}
