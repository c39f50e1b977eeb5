package own

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"

	"closedform/internal/kernel"
	"closedform/runner/dataset"
	"closedform/runner/internal/store"
	"closedform/runner/internal/table"
)

// saveEvery is how many rows are learned between two versions of the network's file.
const saveEvery = 1000

// Learn has the network predict each row, print that, and learn the row, whose class is in a column. If the
// table does not have it, the class is on the line after the row. Rows before the row from, which counts from
// 1, are passed over. The network is written to a file again and again, and at the end. next is the first row
// that was not read with its class.
func (r *Rows) Learn(ctx context.Context, stdout io.Writer, from int, to string) (next int, err error) {
	file, err := hold(to)
	if err != nil {
		return from, err
	}
	defer file.release()
	s, err := r.open()
	if err != nil {
		return from, err
	}
	l := &learning{s, csv.NewWriter(stdout)}
	if err := file.save(l.Network); err != nil { // before rows are read
		return from, err
	}
	err = l.print("row", "class", "probability", "error", "log_loss", "unknown")
	for next = 1; err == nil; next++ {
		err = l.next(ctx, next < from)
		if err == nil && next >= from && l.Counts.Rows%saveEvery == 0 {
			err = file.save(l.Network)
		}
	}
	if next--; err == io.EOF {
		err = nil
	}
	err = errors.Join(err, file.save(l.Network))
	l.summary(to)
	return next, err
}

// learning is a network that learns rows.
type learning struct {
	*stream
	out *csv.Writer
}

// next predicts a row, prints that, and learns the row, unless it is skipped. An error ends the stream.
func (l *learning) next(ctx context.Context, skip bool) error {
	row, err := wait(ctx, l.reader.Next)
	if err != nil {
		return err
	}
	if skip {
		_, _, err := l.label(ctx, row)
		return err
	}
	c, class, probability := l.Counts, "", math.NaN()
	failed := l.predict(row, l.Before)
	if failed == nil {
		class, probability = l.answer()
	}
	if c.Rows++; class == dataset.Unknown {
		c.Unknown++
	}
	l.passOver(failed)
	if err := l.print(fmt.Sprint(c.Rows), class, table.Format(probability), table.Format(c.Error()),
		table.Format(c.LogLoss()), fmt.Sprint(c.Unknown)); err != nil {
		return err
	}
	label, bad, err := l.label(ctx, row)
	if err != nil {
		return err
	}
	l.Counts = c
	if bad == nil && failed == nil && !dataset.IsMissing(label) {
		bad = l.learn(label, row)
	}
	l.passOver(bad)
	return nil
}

// label returns the class of a row, or what is wrong with its line. Another error ends the stream.
func (l *learning) label(ctx context.Context, row dataset.Row) (label string, bad, err error) {
	if l.column >= 0 {
		return slices.Concat(row.Cells, make([]string, l.column+1))[l.column], nil, nil // of a short row nothing
	}
	line, err := wait(ctx, l.reader.Next)
	if n := len(line.Cells); err == nil && n > 1 && n == len(l.reader.Columns) {
		if _, _, wrong := l.inputs.Read(line); wrong == nil {
			err = fmt.Errorf("%s:%d: %q is a row; need the class of the row before, as the table has no column of "+
				"classes; -class names the column", l.reader.File, line.Line, line.Cells)
		}
	}
	return strings.Join(line.Cells, ","), line.Err, err
}

// learn learns the row that was predicted last. A class that the network does not have is added: the
// prediction was wrong, and its loss is that of the network with the class, before it learns the row.
func (l *learning) learn(label string, row dataset.Row) error {
	class, wrong, place := slices.Index(l.Classes, label), 0, fmt.Sprintf("%s:%d", l.reader.File, row.Line)
	if l.p.Details.Class() != class {
		wrong = 1
	}
	if class < 0 {
		err := errors.New("it is the word for no class")
		if label != dataset.Unknown {
			err = l.AddClass()
		}
		if err != nil {
			return fmt.Errorf("%s: class %q cannot be added: %w", place, label, err)
		}
		class, l.Classes = len(l.Classes), append(l.Classes, label)
		l.Counts.Added++
		l.say("%s: new class %q", place, label)
		if err := l.Before(&l.p, l.x); err != nil {
			return fmt.Errorf("%s: %w", place, err)
		}
	}
	if err := l.Classifier.Learn(l.x, class); err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	l.Counts.Learned++
	l.Counts.Wrong += wrong
	l.Counts.Loss -= kernel.Log(max(l.p.P[class], math.SmallestNonzeroFloat64))
	return nil
}

func (l *learning) passOver(err error) {
	if err != nil {
		l.say("%v; passed over", err)
	}
}

// print prints a line at once.
func (l *learning) print(cells ...string) error {
	err := l.out.Write(cells)
	l.out.Flush()
	return cmp.Or(err, l.out.Error())
}

func (l *learning) summary(file string) {
	c, n, scores := l.Counts, len(l.Classes), ""
	if c.Learned > 0 {
		scores = fmt.Sprintf("; error before learning %.4g, log loss %.4g", c.Error(), c.LogLoss())
	}
	l.say("%s: %d rows, %d learned%s; %d unknown", file, c.Rows, c.Learned, scores, c.Unknown)
	if c.Added > 0 {
		l.say("%s: %d of %d classes are new since the training: %q", file, c.Added, n, l.Classes[n-c.Added:])
	}
}

// held is a file that no other process learns or replaces.
type held struct {
	path    string
	info    fs.FileInfo // of what was there or saved last; nil: nothing
	release func()
}

// hold locks the file of a network that is learned.
func hold(path string) (*held, error) {
	release, err := store.Hold(path, "learned")
	info, _ := os.Stat(path) // may not exist
	return &held{path, info, release}, err
}

// save replaces the file, unless another program has changed it.
func (h *held) save(n *Network) error {
	now, err := os.Stat(h.path)
	same := h.info != nil && err == nil && os.SameFile(now, h.info) && now.ModTime().Equal(h.info.ModTime())
	if err == nil && now.Mode().IsRegular() && !same {
		return fmt.Errorf("%s was changed by another program while it was learned, and is left as it is; -to "+
			"names another file", h.path)
	}
	text, err := n.Bytes()
	if err == nil {
		err = store.WriteFile(h.path, text)
	}
	if err == nil {
		h.info, err = os.Stat(h.path)
	}
	return err
}
