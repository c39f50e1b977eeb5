// Package pool runs the cells of an experiment on several workers and shows
// how far they are.
package pool

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Progress is told how a run goes, by one goroutine at a time.
type Progress interface {
	Start(total int) // before the first cell
	Done()           // after each cell that succeeded
	Stop()           // at the end, whether or not all cells are done
}

// Run calls work(ctx, i) for the index i of each cell in names, in this order,
// with at most workers calls at a time. After the first error, or when ctx is
// cancelled, it begins no more cells, cancels the ctx of those under way and
// waits for them. It returns the first error, which names the cell, or the
// error of ctx if this kept a cell from being run. A panic in work becomes an
// error that carries its stack. Run panics if workers is not positive.
func Run(ctx context.Context, workers int, names []string, work func(ctx context.Context, i int) error, progress Progress) error {
	if workers < 1 {
		panic(fmt.Sprintf("pool: %d workers", workers))
	}
	progress.Start(len(names))
	defer progress.Stop()

	var mu sync.Mutex // guards progress
	g, inner := errgroup.WithContext(ctx)
	g.SetLimit(workers)
	for i, name := range names {
		g.Go(func() error {
			// Cancelled here means that this cell is not to be begun: the
			// error of the cell that did it is the group's, being first.
			if err := inner.Err(); err != nil {
				return err
			}
			if err := protect(inner, i, work); err != nil {
				return fmt.Errorf("cell %s: %w", name, err)
			}
			mu.Lock()
			defer mu.Unlock()
			progress.Done()
			return nil
		})
	}
	return g.Wait()
}

// protect calls work and turns a panic into an error.
func protect(ctx context.Context, i int, work func(ctx context.Context, i int) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return work(ctx, i)
}
