// Package engine computes the cells of experiments, on this machine or on a cluster,
// and shows how far they are.
package engine

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
)

// Engine is who computes cells.
type Engine interface {
	// Compute returns the cells of an experiment, in their order, and computes those that
	// its folder does not have. Cells that are not its part, or were not computed because
	// of the error, are nil. The error is ErrLater where others compute and publish.
	Compute(ctx context.Context, w *Work) ([]*store.Cell, error)

	// Finish is called when Compute has returned for all experiments.
	Finish(ctx context.Context) error
}

var (
	_ Engine = (*Here)(nil)
	_ Engine = (*Slurm)(nil)
	_ Engine = (*Merge)(nil)
)

// ErrLater is that of cells which others compute and publish.
var ErrLater = errors.New("computed later, by others")

// Work is an experiment whose cells are to be there.
type Work struct {
	Name     string
	Folder   *store.Folder
	Cells    []study.Cell
	Prints   []string // their fingerprints
	Manifest []byte   // with all values spelled out
	Options  string   // of sbatch, by its manifest
	Mine     int      // set by Compute: how many cells are its part
	Computed int      // set by Compute: how many were computed now
}

func (w *Work) keys() []string {
	keys := make([]string, len(w.Cells))
	for i, c := range w.Cells {
		keys[i] = c.Key
	}
	return keys
}

// stock returns which cells are there.
func (w *Work) stock() *store.Stock {
	s := store.NewStock(w.Folder.Dir(), w.keys(), w.Prints)
	s.Look()
	return s
}

// load loads those of the cells that are in stock. The errors are those of damaged ones.
func (w *Work) load(part []int, workers int) (cells []*store.Cell, damaged []error) {
	cells, errs := make([]*store.Cell, len(w.Cells)), make([]error, len(w.Cells))
	stock := w.stock()
	var g errgroup.Group
	g.SetLimit(workers)
	for _, i := range part {
		if stock.Has[i] {
			g.Go(func() error {
				cells[i], errs[i] = w.Folder.LoadCell(w.Cells[i].Key, w.Prints[i])
				return nil
			})
		}
	}
	g.Wait()
	for _, err := range errs {
		if err != nil {
			damaged = append(damaged, err)
		}
	}
	return cells, damaged
}

// absent returns the indices of the part that are not among the cells.
func absent(part []int, cells []*store.Cell) (left []int) {
	for _, i := range part {
		if cells[i] == nil {
			left = append(left, i)
		}
	}
	return left
}

// part returns the numbers from 0 to n-1 that has tells.
func part(n int, has func(i int) bool) (all []int) {
	for i := range n {
		if has(i) {
			all = append(all, i)
		}
	}
	return all
}

// count returns "1 cell" or "2 cells".
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
