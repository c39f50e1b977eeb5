package own

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"

	"closedform/internal/kernel"
	"closedform/runner/dataset"
	"closedform/runner/internal/store"
	"closedform/runner/internal/table"
)

const saveEvery = 1000

// Learn has the network predict each row, print that, and learn the row, whose class is in a column, or else
// on the line after it. Rows before the row from, which counts from 1, are passed over. The network is
// written to a file again and again, and at the end. next is the first row that was not read with its class.
func (r *Rows) Learn(ctx context.Context, stdout io.Writer, from int, to string) (next int, err error) {
	save, release, err := hold(to)
	if err != nil {
		return from, err
	}
	defer release()
	if err = r.open(); err == nil {
		err = save(r.n) // before rows are read
	}
	if err != nil {
		return from, err
	}
	r.out = csv.NewWriter(stdout)
	err = r.print("row", "class", "probability", "error", "log_loss", "unknown")
	for next = 1; err == nil; next++ {
		err = r.learnNext(ctx, next < from)
		if err == nil && next >= from && r.n.Counts.Rows%saveEvery == 0 {
			err = save(r.n)
		}
	}
	if next--; err == io.EOF {
		err = nil
	}
	err = errors.Join(err, save(r.n))
	c, known, scores := r.n.Counts, len(r.n.Classes), ""
	if wrong, loss := c.scores(); c.Learned > 0 {
		scores = fmt.Sprintf("; error before learning %.4g, log loss %.4g", wrong, loss)
	}
	r.say("%s: %d rows, %d learned%s; %d unknown", to, c.Rows, c.Learned, scores, c.Unknown)
	if c.Added > 0 {
		r.say("%s: %d of %d classes are new since the training: %q", to, c.Added, known,
			r.n.Classes[known-c.Added:])
	}
	return next, err
}

func (r *Rows) learnNext(ctx context.Context, skip bool) error {
	row, err := r.next(ctx)
	if err != nil {
		return err
	}
	if skip {
		_, _, err := r.label(ctx, row)
		return err
	}
	c, class, probability := r.n.Counts, "", math.NaN()
	bad := r.predict(row, r.n.Before)
	if bad == nil {
		class, probability = r.answer()
	}
	if c.Rows++; class == dataset.Unknown {
		c.Unknown++
	}
	wrong, loss := c.scores()
	if err := r.print(strconv.Itoa(c.Rows), class, table.Format(probability), table.Format(wrong),
		table.Format(loss), strconv.Itoa(c.Unknown)); err != nil {
		return err
	}
	label, badLine, err := r.label(ctx, row)
	if bad = cmp.Or(bad, badLine); err == nil {
		if r.n.Counts = c; bad == nil && !dataset.IsMissing(label) {
			bad = r.learn(label, row)
		}
	}
	if bad != nil {
		r.say("%v; passed over", bad)
	}
	return err
}

// label returns the class of a row, or what is wrong with its line. Another error ends the stream.
func (r *Rows) label(ctx context.Context, row dataset.Row) (label string, bad, err error) {
	if r.column >= 0 {
		return cell(row, r.column), nil, nil
	}
	line, err := r.next(ctx)
	if err == nil && len(line.Cells) > 1 {
		err = fmt.Errorf("%s: %q is a row; need the class of the row before, as the table has no column of "+
			"classes; -class names the column", r.place(line), line.Cells)
	}
	return cell(line, 0), line.Err, err
}

// learn learns the row that was predicted last. A class that the network does not have is added: the
// prediction was wrong, and its loss is that of the network with the class, before it learns the row.
func (r *Rows) learn(label string, row dataset.Row) error {
	n, class, wrong := r.n, slices.Index(r.n.Classes, label), 0
	if r.p.Details.Class() != class {
		wrong = 1
	}
	if class < 0 {
		err := errors.New("it is the word for no class")
		if label != dataset.Unknown {
			err = n.AddClass()
		}
		if err != nil {
			return fmt.Errorf("%s: class %q cannot be added: %w", r.place(row), label, err)
		}
		class, n.Classes = len(n.Classes), append(n.Classes, label)
		n.Counts.Added++
		r.say("%s: new class %q", r.place(row), label)
		if err := n.Before(&r.p, r.x); err != nil {
			return fmt.Errorf("%s: %w", r.place(row), err)
		}
	}
	if err := n.Learn(r.x, class); err != nil {
		return fmt.Errorf("%s: %w", r.place(row), err)
	}
	n.Counts.Learned++
	n.Counts.Wrong += wrong
	n.Counts.Loss -= kernel.Log(max(r.p.P[class], math.SmallestNonzeroFloat64))
	return nil
}

func (r *Rows) print(cells ...string) error {
	_ = r.out.Write(cells) // Error returns it, too
	r.out.Flush()
	return r.out.Error()
}

// hold locks the file of a network that is learned. save replaces it, unless another program has changed it.
func hold(path string) (save func(n *Network) error, release func(), err error) {
	release, err = store.Hold(path)
	was, _ := os.Stat(path) // may not exist
	return func(n *Network) error {
		now, err := os.Stat(path)
		if err == nil && now.Mode().IsRegular() &&
			!(was != nil && os.SameFile(now, was) && now.ModTime().Equal(was.ModTime())) {
			return fmt.Errorf("%s was changed by another program while it was learned, and is left as it is; -to "+
				"names another file", path)
		}
		text, err := n.Bytes()
		if err == nil {
			err = store.WriteFile(path, text)
		}
		if err == nil {
			was, err = os.Stat(path)
		}
		return err
	}, release, err
}
