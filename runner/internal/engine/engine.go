// Package engine computes the cells of an experiment and shows how far they are.
package engine

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"golang.org/x/sync/errgroup"

	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Done takes the tables of the cell with an index, and the time that they took.
type Done func(i int, tables table.Set, took time.Duration) error

// Compute computes cells on this machine, in their order, so many workers at a time.
// It hands the tables of each to done as soon as they are there; calls of done may
// overlap. After the first error, be it one of done, or when ctx is cancelled, it
// begins no more cells, cancels those under way and waits for them. It returns the
// first error, which names the cell, or that of ctx if this kept a cell from being
// computed. A panic in a cell becomes an error with its stack.
func Compute(ctx context.Context, workers int, cells []study.Cell, done Done) error {
	g, inner := errgroup.WithContext(ctx)
	g.SetLimit(workers)
	for i, cell := range cells {
		g.Go(func() error {
			// Cancelled here means that this cell is not to be begun: the error of
			// the cell that did it is the group's, being first.
			if err := inner.Err(); err != nil {
				return err
			}
			begin := time.Now()
			tables, err := protect(inner, cell)
			if err == nil {
				err = done(i, tables, time.Since(begin))
			}
			if err != nil {
				return fmt.Errorf("cell %s: %w", cell.Key, err)
			}
			return nil
		})
	}
	return g.Wait()
}

// protect runs a cell and turns a panic into an error.
func protect(ctx context.Context, cell study.Cell) (tables table.Set, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return cell.Run(ctx)
}
