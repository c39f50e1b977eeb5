// Package engine computes the cells of experiments and shows their progress.
package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"closedform/runner/internal/pool"
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Work is an experiment whose cells are needed.
type Work struct {
	Name     string
	Folder   *store.Folder
	Cells    []study.Cell
	Prints   []string // their fingerprints
	Manifest []byte   // with all values spelled out
	Last     string   // results folder whose run.json tells how long cells may take

	// Set when they are looked for and computed:
	Computed int           // how many were computed now
	Done     []*store.Cell // those that are there, without their tables; nil: not there
}

// Tables loads the tables of all cells, which must be done.
func (w *Work) Tables() ([]table.Set, error) {
	sets := make([]table.Set, len(w.Cells))
	for i, cell := range w.Cells {
		c, err := w.Folder.LoadCell(cell.Key, w.Prints[i])
		if c == nil {
			return nil, cmp.Or(err, fmt.Errorf("cell %s has vanished", cell.Key))
		}
		sets[i] = c.Tables
	}
	return sets, nil
}

// run computes a cell.
func (w *Work) run(ctx context.Context, i int) (c *store.Cell, err error) {
	c = &store.Cell{Key: w.Cells[i].Key, Fingerprint: w.Prints[i]}
	c.CPU, err = pool.Measure(ctx, func(ctx context.Context) (err error) {
		c.Tables, err = w.Cells[i].Run(ctx)
		return err
	})
	return c, err
}

// Expected returns the expected seconds of each cell.
func (w *Work) Expected(numbers []int) []float64 {
	last, err := store.ReadRun(w.Last)
	if err != nil {
		last = new(store.Run) // of which nothing is known
	}
	seconds := make([]float64, len(numbers))
	for k, i := range numbers {
		seconds[k] = last.Expected(w.Cells[i].Group())
	}
	return seconds
}

// others returns an error if another process computes other cells of these keys.
func (w *Work) others() error {
	keys := make([]string, len(w.Cells))
	for i, c := range w.Cells {
		keys[i] = c.Key
	}
	return w.Folder.Others(keys, w.Prints)
}

// look loads the cells, sets Done to those that are finished, and returns the errors of damaged ones.
func (w *Work) look() (damaged []error) {
	errs := make([]error, len(w.Cells))
	w.Done = make([]*store.Cell, len(w.Cells))
	pool.Each(context.Background(), len(w.Cells), func(_ context.Context, i int) error {
		var c *store.Cell
		c, errs[i] = w.Folder.LoadCell(w.Cells[i].Key, w.Prints[i])
		w.done(i, c)
		return nil
	})
	return slices.DeleteFunc(errs, func(err error) bool { return err == nil })
}

// done marks a cell as finished and drops its tables, which are in the folder: the tables of
// all cells of a run may not fit into memory.
func (w *Work) done(i int, c *store.Cell) {
	if c != nil {
		w.Done[i] = &store.Cell{Key: c.Key, Fingerprint: c.Fingerprint, CPU: c.CPU}
	}
}

// absent returns the numbers of the missing cells.
func (w *Work) absent() (numbers []int) {
	for i, c := range w.Done {
		if c == nil {
			numbers = append(numbers, i)
		}
	}
	return numbers
}

// count returns "1 cell" or "2 cells".
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
