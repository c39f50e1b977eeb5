package dataset

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Rows reads a table row by row, as from a pipe: a row as soon as its line has come. The text is
// UTF-8. It is not safe for concurrent use.
type Rows struct {
	table Table // with the last row alone
	csv   *csv.Reader
	err   error
}

// NewRows reads the header line, in which commas, semicolons or tabs separate cells, the kind that makes
// the most of them. An error has the name of the file.
func NewRows(r io.Reader, file string) (*Rows, error) {
	in := bufio.NewReader(r)
	var header string
	for strings.TrimSpace(header) == "" {
		line, err := in.ReadString('\n')
		header += strings.TrimPrefix(line, "\ufeff")
		if err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return newRows(io.MultiReader(strings.NewReader(header), in), header, file)
}

// newRows reads the header of a text, whose beginning says what separates cells.
func newRows(text io.Reader, beginning, file string) (*Rows, error) {
	comma, err := separator(beginning)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	r := &Rows{table: Table{File: file, comma: comma}, csv: newReader(text, comma)}
	if err := r.next(); err == io.EOF {
		return nil, cmp.Or(r.err, fmt.Errorf("%s: empty; need a header line, and a line for each row", file))
	} else if err != nil {
		return nil, err
	}
	r.table.Columns, r.table.header = r.table.Cells[0], r.table.Line[0]
	return r, r.table.check()
}

func newReader(text io.Reader, comma rune) *csv.Reader {
	r := csv.NewReader(text)
	r.Comma = comma
	r.FieldsPerRecord = -1 // Next says which line is too short
	r.TrimLeadingSpace = comma != '\t'
	return r
}

// Err returns the error of reading that Next and Line returned io.EOF for, if any.
func (r *Rows) Err() error { return r.err }

// Columns returns the names of the columns.
func (r *Rows) Columns() []string { return r.table.Columns }

// Next returns a table of the next row, valid until the next call, or io.EOF. After another error, which
// has the line, the rows after it can still be read.
func (r *Rows) Next() (*Table, error) {
	if err := r.next(); err != nil {
		return nil, err
	}
	if t := &r.table; len(t.Cells[0]) != len(t.Columns) {
		return t, fmt.Errorf("%s:%d: %d cells; need %d, as many as the header has", t.File, t.Line[0], len(t.Cells[0]), len(t.Columns))
	}
	return &r.table, nil
}

// Line returns the next line that is not blank, for a value that belongs to the row before it.
func (r *Rows) Line() (string, error) {
	if err := r.next(); err != nil {
		return "", err
	}
	return strings.Join(r.table.Cells[0], string(r.table.comma)), nil
}

// next reads a record into the only row of the table.
func (r *Rows) next() error {
	record, err := r.csv.Read()
	if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
		return fmt.Errorf("%s:%d: %w", r.table.File, wrong.StartLine, wrong.Err) // An open quote ends on the last line.
	} else if err != nil {
		if err != io.EOF {
			r.err = fmt.Errorf("%s: %w", r.table.File, err)
		}
		return io.EOF
	}
	for j := range record {
		record[j] = strings.TrimSpace(record[j])
	}
	line, _ := r.csv.FieldPos(0)
	r.table.Cells, r.table.Line = append(r.table.Cells[:0], record), append(r.table.Line[:0], line)
	return nil
}
