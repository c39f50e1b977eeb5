package own

import (
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
	file, err := hold(to, "learned")
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
		if next < from {
			err = l.skip(ctx)
		} else if err = l.next(ctx); err == nil && l.Counts.Rows%saveEvery == 0 {
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

// skip reads a row and its class.
func (l *learning) skip(ctx context.Context) error {
	_, err := wait(ctx, l.reader.Next)
	if l.column < 0 && !ended(err) {
		_, err = wait(ctx, l.reader.NextLine)
	}
	if ended(err) {
		return err
	}
	return nil
}

// next predicts a row, prints that, and learns the row. An error ends the stream.
func (l *learning) next(ctx context.Context) error {
	row, failed := wait(ctx, l.reader.Next)
	if ended(failed) {
		return failed
	}
	c, class, probability := l.Counts, "", math.NaN()
	c.Rows++
	if failed = l.predict(row, failed, l.Before); failed == nil {
		class, probability = l.answer()
	}
	if class == dataset.Unknown {
		c.Unknown++
	}
	l.passOver(failed)
	if err := l.print(fmt.Sprint(c.Rows), class, table.Format(probability), table.Format(c.Error()),
		table.Format(c.LogLoss()), fmt.Sprint(c.Unknown)); err != nil {
		return err
	}
	label, err := l.label(ctx, row)
	if ended(err) {
		return err
	}
	l.Counts = c
	if err == nil && failed == nil && !dataset.IsMissing(label) {
		err = l.learn(label, row)
	}
	l.passOver(err)
	return nil
}

// learn learns the row that was predicted last. A class that the network does not have is added: the prediction
// was wrong, and its loss is that of the network with the class, before it learns the row.
func (l *learning) learn(label string, row dataset.Row) error {
	class, wrong := slices.Index(l.Classes, label), 0
	if l.p.Details.Class() != class {
		wrong = 1
	}
	if class < 0 {
		if label == dataset.Unknown {
			return fmt.Errorf("%s:%d: class %q cannot be added: it is the word for no class", l.reader.File, row.Line,
				label)
		}
		if err := l.AddClass(); err != nil {
			return fmt.Errorf("%s:%d: class %q cannot be added: %w", l.reader.File, row.Line, label, err)
		}
		class, l.Classes = len(l.Classes), append(l.Classes, label)
		l.Counts.Added++
		fmt.Fprintf(l.Stderr, "%s:%d: new class %q\n", l.reader.File, row.Line, label)
		if err := l.Before(&l.p, l.x); err != nil {
			return err
		}
	}
	if err := l.Classifier.Learn(l.x, class); err != nil {
		return err
	}
	l.Counts.Learned++
	l.Counts.Wrong += wrong
	l.Counts.Loss -= kernel.Log(max(l.p.P[class], math.SmallestNonzeroFloat64))
	return nil
}

// label returns the class of a row.
func (l *learning) label(ctx context.Context, row dataset.Row) (string, error) {
	if l.column >= 0 && l.column < len(row.Cells) {
		return row.Cells[l.column], nil
	} else if l.column >= 0 {
		return "", nil
	}
	line, err := wait(ctx, l.reader.NextLine)
	if n := len(line.Cells); err == nil && n > 1 && n == len(l.reader.Columns) {
		if _, _, wrong := l.inputs.Read(line); wrong == nil {
			return "", &dataset.ReadError{Err: fmt.Errorf("%s:%d: %q is a row; need the class of the row before, as "+
				"the table has no column of classes; -class names the column", l.reader.File, line.Line, line.Cells)}
		}
	}
	return strings.Join(line.Cells, ","), err
}

func (l *learning) passOver(err error) {
	if err != nil {
		fmt.Fprintf(l.Stderr, "%v; passed over\n", err)
	}
}

// wait reads a row, or returns an error when ctx is cancelled; read then goes on by itself.
func wait(ctx context.Context, read func() (dataset.Row, error)) (row dataset.Row, err error) {
	done := make(chan struct{})
	var result dataset.Row
	var failed error
	go func() {
		result, failed = read()
		close(done)
	}()
	select {
	case <-done:
		return result, failed
	case <-ctx.Done():
		return row, ctx.Err()
	}
}

// print prints a line at once.
func (l *learning) print(cells ...string) error {
	err := l.out.Write(cells)
	l.out.Flush()
	return errors.Join(err, l.out.Error())
}

func (l *learning) summary(file string) {
	c, n, scores := l.Counts, len(l.Classes), ""
	if c.Learned > 0 {
		scores = fmt.Sprintf("; error before learning %.4g, log loss %.4g", c.Error(), c.LogLoss())
	}
	fmt.Fprintf(l.Stderr, "%s: %d rows, %d learned%s; %d unknown\n", file, c.Rows, c.Learned, scores, c.Unknown)
	if c.Added > 0 {
		fmt.Fprintf(l.Stderr, "%s: %d of %d classes are new since the training: %q\n",
			file, c.Added, n, l.Classes[n-c.Added:])
	}
}

// held is a file that no other process learns or replaces.
type held struct {
	path    string
	info    fs.FileInfo // of what was there or saved last; nil: nothing
	release func()
}

// hold locks a file; doing says what for.
func hold(path, doing string) (*held, error) {
	release, err := store.Hold(path, doing)
	if err != nil {
		return nil, err
	}
	info, _ := os.Stat(path) // may not exist
	return &held{path, info, release}, nil
}

// save replaces the file, unless another program has changed it.
func (h *held) save(n *Network) error {
	now, err := os.Stat(h.path)
	same := h.info != nil && err == nil && os.SameFile(now, h.info) && now.ModTime().Equal(h.info.ModTime())
	if err == nil && now.Mode().IsRegular() && !same {
		return fmt.Errorf("%s was changed by another program while it was learned, and is left as it is; -to names "+
			"another file", h.path)
	}
	text, err := n.Bytes()
	if err == nil {
		err = store.WriteFile(h.path, text)
	}
	if err != nil {
		return err
	}
	h.info, err = os.Stat(h.path)
	return err
}
