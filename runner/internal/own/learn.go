package own

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"closedform/runner/dataset"
	"closedform/runner/internal/store"
	"closedform/runner/internal/table"
	"closedform/runner/internal/trained"
)

// saveEvery is how many rows are learned between two versions of the network's file.
const saveEvery = 1000

// Learn has the network predict each row, print that, and learn the row, whose class is in a column. Without a name the
// column is that of the training; if the table has none, the class is on the line after the row. The network is
// written to a file again and again, and at the end.
func (r *Rows) Learn(ctx context.Context, stdout io.Writer, class, to string) error {
	network, decide, data, name, err := r.open()
	if err != nil {
		return err
	}
	rows, err := dataset.NewRows(data, name, r.layout(network))
	if err != nil {
		return err
	}
	column := slices.Index(rows.Columns, cmp.Or(class, network.Column, "class"))
	if class != "" && column < 0 {
		return fmt.Errorf("%s: no column %q; the columns are %q", name, class, rows.Columns)
	}
	if network.Bare && column >= 0 {
		network.Column = rows.Columns[column]
	}
	stream, err := trained.NewStream(network, decide, rows.Table)
	if err != nil {
		return err
	}
	l := &lesson{stream, rows, column, to, csv.NewWriter(stdout), r.Stderr, map[string]bool{}}
	if at, bad := os.Stat(to); bad != nil || at.IsDir() || at.Mode().IsRegular() {
		if err := l.save(); err != nil { // a file that cannot be written is told before the rows are read
			return err
		}
	}
	err = errors.Join(l.learn(ctx), l.save())
	l.summary()
	return err
}

// lesson is a network that learns rows.
type lesson struct {
	*trained.Stream
	rows   *dataset.Rows
	column int // of the classes; below 0: a row's class is on the line after it
	file   string
	out    *csv.Writer
	stderr io.Writer
	warned map[string]bool // words that were not seen in the training
}

// learn learns all rows, or until ctx is cancelled.
func (l *lesson) learn(ctx context.Context) error {
	if err := l.print("row", "class", "probability", "error", "log_loss", "unknown"); err != nil {
		return err
	}
	for {
		var row *dataset.Table
		stop, err := l.soon(ctx, func() (err error) {
			row, err = l.rows.Next()
			return err
		})
		if stop {
			return err
		}
		class, probability := "", math.NaN()
		if err == nil {
			var unseen []string
			class, probability, unseen, err = l.Predict(row)
			for _, word := range unseen {
				if !l.warned[word] {
					l.warned[word] = true
					fmt.Fprintf(l.stderr, "row %d: words that the training did not have, all of whose inputs are 0: %s\n", l.Counts.Rows+1, word)
				}
			}
		}
		c := &l.Counts
		c.Rows++
		l.report(err)
		if err := l.print(fmt.Sprint(c.Rows), class, table.Format(probability), table.Format(c.Error()), table.Format(c.LogLoss()), fmt.Sprint(c.Unknown)); err != nil {
			return err
		}
		var label string
		if l.column >= 0 && row != nil && l.column < len(row.Cells[0]) {
			label = row.Cells[0][l.column]
		} else if l.column < 0 {
			stop, bad := l.soon(ctx, func() (err error) {
				label, err = l.rows.NextLine()
				return err
			})
			if stop {
				return bad
			}
			if bad == nil && l.isRow() {
				return fmt.Errorf("%s:%d: %q is a row; need the class of the row before, as the table has no column of classes; -class names the column",
					l.rows.File, l.rows.Line[0], label)
			}
			l.report(bad)
			err = cmp.Or(err, bad)
		}
		if err == nil && !dataset.IsMissing(label) {
			known := len(l.Classes)
			err := l.Learn(label)
			if len(l.Classes) > known {
				fmt.Fprintf(l.stderr, "row %d: new class %q at %s:%d\n", c.Rows, label, row.File, row.Line[0])
			}
			l.report(err)
		}
		if c.Rows%saveEvery == 0 {
			if err := l.save(); err != nil {
				return err
			}
		}
	}
}

// isRow reports whether the last line, which should be a class, has a number for each input.
func (l *lesson) isRow() bool {
	if n := len(l.rows.Columns); n == 1 || len(l.rows.Cells[0]) != n {
		return false
	}
	_, _, err := l.Scaler.Rows(&l.rows.Table)
	return err == nil
}

// report says what was passed over, if anything.
func (l *lesson) report(err error) {
	if err != nil {
		fmt.Fprintf(l.stderr, "row %d: %v; passed over\n", l.Counts.Rows, err)
	}
}

// soon calls f, which reads, and reports whether there is nothing more to do: at the end of the rows,
// or when ctx is cancelled; f then goes on by itself.
func (l *lesson) soon(ctx context.Context, f func() error) (stop bool, err error) {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err = <-done:
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return true, ctx.Err()
	}
	if err == io.EOF {
		return true, l.rows.Err()
	}
	return false, err
}

// print prints a line at once.
func (l *lesson) print(cells ...string) error {
	err := l.out.Write(cells)
	l.out.Flush()
	return cmp.Or(err, l.out.Error())
}

func (l *lesson) save() error {
	var file bytes.Buffer
	if err := l.Write(&file); err != nil {
		return err
	}
	return store.WriteFile(l.file, file.Bytes())
}

func (l *lesson) summary() {
	c, scores := l.Counts, ""
	if c.Learned > 0 {
		scores = fmt.Sprintf("; error before learning %.4g, log loss %.4g", c.Error(), c.LogLoss())
	}
	fmt.Fprintf(l.stderr, "%s: %d rows, %d learned%s; %d unknown\n", l.file, c.Rows, c.Learned, scores, c.Unknown)
	if c.Added > 0 {
		fmt.Fprintf(l.stderr, "%s: %d of %d classes are new since the training: %q\n", l.file, c.Added, len(l.Classes), l.Classes[len(l.Classes)-c.Added:])
	}
}
