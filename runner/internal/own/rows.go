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

// next returns the next line, io.EOF after the last, or the error of the context when it ends.
func (r *rows) next(ctx context.Context) (row dataset.Row, err error) {
	done := make(chan struct{})
	go func() {
		row, err = r.Next()
		close(done)
	}()
	select {
	case <-done:
		return row, err
	case <-ctx.Done():
		return dataset.Row{}, ctx.Err()
	}
}

// label returns the class of the row that next has just returned, empty if there is none, or what is wrong
// with the line of the class. Another error ends the stream.
func (r *rows) label(ctx context.Context, row dataset.Row) (class string, bad, err error) {
	if r.column < 0 && r.lines {
		line, err := r.next(ctx)
		if err != nil {
			return "", nil, err
		} else if len(line.Cells) > 1 {
			return "", nil, fmt.Errorf("%s: found the row %q, need the class of the row before: the table has no "+
				"column of classes; -class names the column", r.place(line), line.Cells)
		} else if !errors.Is(line.Err, csv.ErrFieldCount) {
			bad = line.Err
		}
		class = strings.Join(line.Cells, "")
	} else if r.column >= 0 && r.column < len(row.Cells) {
		class = row.Cells[r.column]
	}
	r.read++
	return class, bad, nil
}

// skip reads rows with their labels until n rows were read.
func (r *rows) skip(ctx context.Context, n int) error {
	for r.read < n {
		row, err := r.next(ctx)
		if err != nil {
			return err
		}
		if _, _, err = r.label(ctx, row); err != nil {
			return err
		}
	}
	return nil
}

// place returns the file and the line of a row.
func (r *rows) place(row dataset.Row) string { return fmt.Sprintf("%s:%d", r.File, row.Line) }
