package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"slices"

	"closedform/runner/dataset"
	"closedform/runner/internal/store"
	"closedform/runner/internal/table"
	"closedform/runner/internal/trained"
)

const learnUsage = `
  go run ./runner learn results/mine/network.npz -data more.csv
  sensor | go run ./runner learn results/mine/network.npz -data -

The network predicts each row before it learns it. That is printed as soon as the line of the row is there, with the
error, log loss and number of rows answered unknown so far. If the table has no column of classes, the line after
a row, which is read after its answer was printed, is its class; "?" is an unknown one, and the row is not
learned. A row that cannot be read or predicted, or whose class the network does not have, is reported and passed over.

Every thousand rows, at the end and on an interrupt the network replaces its file at once: whenever the program is
killed, the file is a whole network. It counts the rows that this command ever showed it, so that what is
printed goes on where it was.`

// saveEvery is how many rows are learned between two versions of the network's file.
const saveEvery = 1000

func (p *program) learnCommand(f *flag.FlagSet) action {
	data := f.String("data", "", "CSV `file` with rows to learn; - is standard input")
	class := f.String("class", "", "`column` of the classes (default: that of the training)")
	to := f.String("to", "", "`file` for the network (default: NETWORK, which is replaced)")
	var d decision
	d.flags(f)
	return func(ctx context.Context, args []string) error {
		if problem := d.problem(); problem != "" || *data == "" {
			return misuse("learn: %s", cmp.Or(problem, "need learn NETWORK -data FILE"))
		}
		file := args[0]
		n, err := trained.Read(file)
		if err != nil {
			return err
		}
		l := &lesson{file: cmp.Or(*to, file), out: csv.NewWriter(p.stdout), stderr: p.stderr}
		l.Stream.Network = n
		if l.Decision, err = d.of(n, file); err != nil {
			return err
		}
		in, name, err := openRows(*data)
		if err != nil {
			return err
		}
		defer in.Close()
		if l.rows, err = dataset.NewRows(in, name); err != nil {
			return err
		}
		if l.column = slices.Index(l.rows.Columns(), cmp.Or(*class, n.Column, "class")); *class != "" && l.column < 0 {
			return fmt.Errorf("%s: no column %q; the columns are %q", name, *class, l.rows.Columns())
		}
		err = errors.Join(l.learn(ctx), l.save())
		l.summary()
		return err
	}
}

// lesson is a network that learns rows.
type lesson struct {
	trained.Stream
	rows   *dataset.Rows
	column int // of the classes; below 0: a row's class is on the line after it
	file   string
	out    *csv.Writer
	stderr io.Writer
	warned []string // words that were not seen in the training
}

// learn learns all rows, or until ctx is cancelled.
func (l *lesson) learn(ctx context.Context) error {
	if err := l.print("row", "class", "probability", "error", "log_loss", "unknown"); err != nil {
		return err
	}
	for {
		var row *dataset.Table
		err := soon(ctx, func() (err error) {
			row, err = l.rows.Next()
			return err
		})
		if err == io.EOF {
			return l.rows.Err()
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		class, probability := "", math.NaN()
		if err == nil {
			var unseen []string
			class, probability, unseen, err = l.Predict(row)
			l.warn(unseen)
		}
		c := &l.Counts
		c.Rows++
		l.report(err)
		if err := l.print(fmt.Sprint(c.Rows), class, number(probability), number(c.Error()), number(c.LogLoss()), fmt.Sprint(c.Unknown)); err != nil {
			return err
		}
		var label string
		if l.column >= 0 && row != nil && l.column < len(row.Cells[0]) {
			label = row.Cells[0][l.column]
		} else if l.column < 0 {
			bad := soon(ctx, func() (err error) {
				label, err = l.rows.Line()
				return err
			})
			if bad == io.EOF {
				return l.rows.Err()
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			l.report(bad)
			err = cmp.Or(err, bad)
		}
		if err == nil && !dataset.IsMissing(label) {
			l.report(l.Learn(label))
		}
		if c.Rows%saveEvery == 0 {
			if err := l.save(); err != nil {
				return err
			}
		}
	}
}

// report says what was passed over, if anything.
func (l *lesson) report(err error) {
	if err != nil {
		fmt.Fprintf(l.stderr, "row %d: %v; passed over\n", l.Counts.Rows, err)
	}
}

// warn says once of each word that it was not seen in the training.
func (l *lesson) warn(unseen []string) {
	for _, word := range unseen {
		if !slices.Contains(l.warned, word) {
			l.warned = append(l.warned, word)
			fmt.Fprintf(l.stderr, "row %d: not seen in the training, and taken for none of the others: %s\n", l.Counts.Rows+1, word)
		}
	}
}

// soon calls f, and returns early if ctx is cancelled; f then goes on by itself.
func soon(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// print prints a line at once.
func (l *lesson) print(cells ...string) error {
	err := l.out.Write(cells)
	l.out.Flush()
	return cmp.Or(err, l.out.Error())
}

// number returns a number as tables have it, nothing for NaN.
func number(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return table.Format(x)
}

func (l *lesson) save() error {
	var file bytes.Buffer
	if err := l.Write(&file); err != nil {
		return err
	}
	return store.WriteFile(l.file, file.Bytes())
}

func (l *lesson) summary() {
	c := l.Counts
	fmt.Fprintf(l.stderr, "%s: %d rows, %d learned; before that error %s, log loss %s; %d unknown\n",
		l.file, c.Rows, c.Learned, number(c.Error()), number(c.LogLoss()), c.Unknown)
}
