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

// Engine computes cells, here or elsewhere.
type Engine interface {
	// Compute hands the tables of each cell to done as soon as they are there, with
	// the index of the cell and the time that it took. Calls of done may overlap.
	// After the first error, be it one of done, or when ctx is cancelled, it begins
	// no more cells, cancels those under way and waits for them. It returns the first
	// error, which names the cell, or that of ctx if this kept a cell from being
	// computed.
	Compute(ctx context.Context, cells []study.Cell, done func(i int, tables table.Set, took time.Duration) error) error
}

// Cores computes cells on this machine, in their order, with so many at a time.
type Cores struct{ Workers int }

var _ Engine = Cores{}

// Compute computes the cells. A panic in one becomes an error with its stack.
func (c Cores) Compute(ctx context.Context, cells []study.Cell, done func(i int, tables table.Set, took time.Duration) error) error {
	if c.Workers < 1 {
		panic(fmt.Sprintf("engine: %d workers", c.Workers))
	}
	g, inner := errgroup.WithContext(ctx)
	g.SetLimit(c.Workers)
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
