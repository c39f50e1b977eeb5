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

// Learn has the network predict each row, print that, and learn the row, whose class is in a column. Without
// a name the column is that of the training; if the table has none, the class is on the line after the row.
// The network is written to a file again and again, and at the end.
func (r *Rows) Learn(ctx context.Context, stdout io.Writer, class, to string) error {
	o, err := r.open()
	if err != nil {
		return err
	}
	rows, err := dataset.NewRows(o.data, o.name, o.layout)
	if err != nil {
		return err
	}
	column := slices.Index(rows.Columns, cmp.Or(class, o.Column, "class"))
	if class != "" && column < 0 {
		return fmt.Errorf("%s: no column %q; the columns are %q", o.name, class, rows.Columns)
	}
	if o.Bare && column >= 0 {
		o.Column = rows.Columns[column]
	}
	stream, err := trained.NewStream(o.Network, o.decide, rows.Table)
	if err != nil {
		return err
	}
	l := &learning{stream, rows, column, to, csv.NewWriter(stdout), r.Stderr, map[string]bool{}}
	if info, err := os.Stat(to); err != nil || info.IsDir() || info.Mode().IsRegular() {
		if err := l.save(); err != nil { // a file that cannot be written is an error before the rows are read
			return err
		}
	}
	err = l.print("row", "class", "probability", "error", "log_loss", "unknown")
	for done := false; err == nil && !done; {
		done, err = l.next(ctx)
	}
	err = errors.Join(err, l.save())
	l.summary()
	return err
}

// learning is a network that learns rows.
type learning struct {
	*trained.Stream
	rows   *dataset.Rows
	column int // of the classes; below 0: a row's class is on the line after it
	file   string
	out    *csv.Writer
	stderr io.Writer
	warned map[string]bool // words that were not in the training
}

// next predicts a row, prints that, and learns the row. It reports whether there is no row left.
func (l *learning) next(ctx context.Context) (done bool, err error) {
	var row *dataset.Table
	done, failed := l.await(ctx, func() (err error) {
		row, err = l.rows.Next()
		return err
	})
	if done {
		return true, failed
	}
	c := &l.Counts
	c.Rows++
	class, probability := "", math.NaN()
	if failed == nil {
		var unseen []string
		class, probability, unseen, failed = l.Predict(row)
		for _, word := range unseen {
			if !l.warned[word] {
				l.warned[word] = true
				l.say("words that the training did not have, all of whose inputs are 0: %s", word)
			}
		}
	}
	l.passOver(failed)
	err = l.print(fmt.Sprint(c.Rows), class, table.Format(probability),
		table.Format(c.Error()), table.Format(c.LogLoss()), fmt.Sprint(c.Unknown))
	if err != nil {
		return true, err
	}
	var label string
	switch {
	case l.column < 0:
		done, bad := l.await(ctx, func() (err error) {
			label, err = l.rows.NextLine()
			return err
		})
		if done {
			return true, bad
		}
		if bad == nil && l.isRow() {
			return true, fmt.Errorf("%s:%d: %q is a row; need the class of the row before, as the table has no "+
				"column of classes; -class names the column", l.rows.File, l.rows.Line[0], label)
		}
		l.passOver(bad)
		failed = cmp.Or(failed, bad)
	case row != nil && l.column < len(row.Cells[0]):
		label = row.Cells[0][l.column]
	}
	if failed == nil && !dataset.IsMissing(label) {
		known := len(l.Classes)
		failed := l.Stream.Learn(label)
		if len(l.Classes) > known {
			l.say("new class %q at %s:%d", label, row.File, row.Line[0])
		}
		l.passOver(failed)
	}
	if c.Rows%saveEvery == 0 {
		err = l.save()
	}
	return false, err
}

// isRow reports whether the last line, which should be a class, has a number for each input.
func (l *learning) isRow() bool {
	if n := len(l.rows.Columns); n == 1 || len(l.rows.Cells[0]) != n {
		return false
	}
	_, _, err := l.Scaler.Rows(&l.rows.Table)
	return err == nil
}

// say prints a line about the row.
func (l *learning) say(format string, args ...any) {
	fmt.Fprintf(l.stderr, "row %d: %s\n", l.Counts.Rows, fmt.Sprintf(format, args...))
}

func (l *learning) passOver(err error) {
	if err != nil {
		l.say("%v; passed over", err)
	}
}

// await calls read, and reports whether there is nothing more to do: at the end of the rows,
// or when ctx is cancelled; read then goes on by itself.
func (l *learning) await(ctx context.Context, read func() error) (done bool, err error) {
	ended := make(chan error, 1)
	go func() { ended <- read() }()
	select {
	case err = <-ended:
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
func (l *learning) print(cells ...string) error {
	err := l.out.Write(cells)
	l.out.Flush()
	return cmp.Or(err, l.out.Error())
}

func (l *learning) save() error {
	var file bytes.Buffer
	if err := l.Write(&file); err != nil {
		return err
	}
	return store.WriteFile(l.file, file.Bytes())
}

func (l *learning) summary() {
	c, n, scores := l.Counts, len(l.Classes), ""
	if c.Learned > 0 {
		scores = fmt.Sprintf("; error before learning %.4g, log loss %.4g", c.Error(), c.LogLoss())
	}
	about := fmt.Sprintf("%d rows, %d learned%s; %d unknown", c.Rows, c.Learned, scores, c.Unknown)
	fmt.Fprintf(l.stderr, "%s: %s\n", l.file, about)
	if c.Added > 0 {
		fmt.Fprintf(l.stderr, "%s: %d of %d classes are new since the training: %q\n",
			l.file, c.Added, n, l.Classes[n-c.Added:])
	}
}
