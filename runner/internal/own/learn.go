package own

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"closedform/runner/dataset"
	"closedform/runner/internal/store"
	"closedform/runner/internal/table"
)

const saveEvery = 1000

// Learn has the network predict each row, print that, and learn the row, whose class is in a column, or else
// on the line after it. Rows before the row from, which counts from 1, are passed over. The network is
// written to a file again and again, and at the end. next is the first row that was not read with its class.
func (r *Rows) Learn(ctx context.Context, stdout io.Writer, from int, to string) (next int, err error) {
	release, err := store.Hold(to, "learned")
	if err != nil {
		return from, err
	}
	defer release()
	save := saver(to)
	if err = r.open(); err == nil {
		err = save(r.n) // before rows are read
	}
	if err != nil {
		return from, err
	}
	out := csv.NewWriter(stdout)
	write := func(cells ...string) error {
		_ = out.Write(cells) // Error returns it, too
		out.Flush()
		return out.Error()
	}
	err = write("row", "class", "probability")
	for next = 1; err == nil; next++ {
		if err = r.learnNext(ctx, next < from, write); err == nil && next >= from && r.n.Rows%saveEvery == 0 {
			err = save(r.n)
		}
	}
	if next--; err == io.EOF {
		err = nil
	}
	n := r.n
	r.say("%s: %d rows, %d learned; now %d, of which %d were predicted wrong", to, n.Rows, n.Learned, r.learned,
		r.wrong)
	if n.Added > 0 {
		r.say("%s: %d of %d classes are new since the training: %q", to, n.Added, len(n.Classes),
			n.Classes[len(n.Classes)-n.Added:])
	}
	return next, errors.Join(err, save(n))
}

func (r *Rows) learnNext(ctx context.Context, skip bool, write func(cells ...string) error) error {
	row, err := r.next(ctx)
	if err != nil {
		return err
	}
	if skip {
		_, _, err := r.label(ctx, row)
		return err
	}
	class, probability, bad := r.predict(row, r.n.Before)
	if err := write(strconv.Itoa(r.n.Rows+1), class, table.Format(probability)); err != nil {
		return err
	}
	label, badLine, err := r.label(ctx, row)
	if err != nil {
		return err
	}
	r.n.Rows++
	if bad = cmp.Or(bad, badLine); bad == nil && !dataset.IsMissing(label) {
		bad = r.learn(label, row)
	}
	if bad != nil {
		r.say("%v; passed over", bad)
	}
	return nil
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

// learn learns the row that was predicted last. A class that the network does not have is added.
func (r *Rows) learn(label string, row dataset.Row) (err error) {
	n, class := r.n, slices.Index(r.n.Classes, label)
	wrong := r.p.Details.Class() != class
	switch {
	case label == dataset.Unknown:
		return fmt.Errorf("%s: class %q cannot be added: it is the word for no class", r.place(row), label)
	case class < 0:
		if err = n.AddClass(); err == nil {
			class, n.Classes = len(n.Classes), append(n.Classes, label)
			n.Added++
			r.say("%s: new class %q", r.place(row), label)
		}
	}
	if err == nil {
		err = n.Learn(r.x, class)
	}
	if err != nil {
		return fmt.Errorf("%s: class %q: %w", r.place(row), label, err)
	}
	if n.Learned++; wrong {
		r.wrong++
	}
	r.learned++
	return nil
}

// saver returns what replaces a file by a network, unless another program has changed the file.
func saver(path string) (save func(n *Network) error) {
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
	}
}
