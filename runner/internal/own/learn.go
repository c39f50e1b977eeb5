package own

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"closedform/runner/dataset"
	"closedform/runner/internal/store"
)

const saveEvery = 1000

// Learn has the network predict each row, print that, and learn the row, whose class is in a column, or else
// on the line after it. Rows before the row from, which counts from 1, are passed over. The network is
// written to a file again and again, and at the end. next is the first row that was not read with its class.
func (r *Rows) Learn(ctx context.Context, stdout io.Writer, from int, to string) (next int, err error) {
	release, err := store.Hold(to)
	if err != nil {
		return from, err
	}
	defer release()
	r.save = saver(to)
	if err = r.open(); err == nil {
		err = r.save(r.n) // before rows are read
	}
	if err != nil {
		return from, err
	}
	next, err = r.run(ctx, stdout, from)
	r.say("%s: %d rows, %d learned", to, r.n.Rows, r.n.Learned)
	return next, errors.Join(err, r.save(r.n))
}

// learn learns the row that was predicted last. A class that the network does not have is added.
func (r *Rows) learn(row dataset.Row, label string) (err error) {
	n, class := r.n, slices.Index(r.n.Classes, label)
	if label == dataset.Unknown {
		err = errors.New("the word for no class")
	} else if class < 0 {
		if err = n.AddClass(); err == nil {
			class, n.Classes = len(n.Classes), append(n.Classes, label)
			n.Added++
			r.say("%s: new class %q", r.place(row), label)
		}
	}
	if err == nil {
		err = n.Classifier.Learn(r.x, class)
	}
	if err != nil {
		return fmt.Errorf("%s: class %q: %w", r.place(row), label, err)
	}
	n.Learned++
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
