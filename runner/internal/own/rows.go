package own

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"strings"

	"closedform/runner/dataset"
)

// rows is the stream of the rows of a table with their labels, the classes.
type rows struct {
	*dataset.Reader
	column int  // column of the labels; negative: there is none
	lines  bool // if there is none, the line after a row is its label
	read   int  // number of rows that were read with their labels
}

// openRows opens the table of the options. Format fields that are empty are those of the training table.
func openRows(o Options, training dataset.Format, lines bool) (*rows, error) {
	file, name := os.Stdin, "standard input"
	if o.Data != "-" {
		var err error
		if file, err = os.Open(o.Data); err != nil { // it is closed when the program ends
			return nil, err
		}
		name = o.Data
	}
	f := training
	f.Separator, f.Decimal = cmp.Or(o.Format.Separator, f.Separator), cmp.Or(o.Format.Decimal, f.Decimal)
	reader, err := dataset.NewReader(file, name, f)
	if err != nil {
		return nil, err
	}
	column, err := reader.Column(cmp.Or(o.Format.Class, f.Class, "class"))
	if err != nil && o.Format.Class != "" {
		return nil, err
	}
	return &rows{Reader: reader, column: column, lines: lines}, nil
}

// next reads a row, answers it, and only then reads its label. The label is empty if there is none; bad says
// what is wrong with its line. Any other error, such as io.EOF after the last row, ends the stream.
func (r *rows) next(ctx context.Context, answer func(dataset.Row) error) (label string, bad, err error) {
	row, err := r.line(ctx)
	if err == nil {
		err = answer(row)
	}
	if err == nil && r.column < 0 && r.lines {
		row, err = r.line(ctx)
		if len(row.Cells) > 1 {
			err = fmt.Errorf("%s: found the row %q, need the class of the row before: the table has no column of "+
				"classes; -class names the column", r.place(row), row.Cells)
		} else if !errors.Is(row.Err, csv.ErrFieldCount) {
			bad = row.Err
		}
		label = strings.Join(row.Cells, "")
	} else if r.column >= 0 && r.column < len(row.Cells) {
		label = row.Cells[r.column]
	}
	if err != nil {
		return "", nil, err
	}
	r.read++
	return label, bad, nil
}

// line reads the next line, or returns the error of the context when it ends.
func (r *rows) line(ctx context.Context) (dataset.Row, error) {
	var line dataset.Row
	var err error
	done := make(chan struct{})
	go func() {
		line, err = r.Next()
		close(done)
	}()
	select {
	case <-done:
		return line, err
	case <-ctx.Done():
		return dataset.Row{}, ctx.Err()
	}
}

// place returns the file and the line of a row.
func (r *rows) place(row dataset.Row) string { return fmt.Sprintf("%s:%d", r.File, row.Line) }
