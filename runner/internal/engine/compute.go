// Package engine computes the cells of experiments on all cores. The cells of several experiments share its
// slots, and the slowest cells of an experiment come first. Several processes, on several machines, may
// compute the cells of one folder: each process claims the cells that it computes.
package engine

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
	"closedform/runner/internal/task"
)

// Work is an experiment whose cells are needed.
type Work struct {
	Name     string
	Folder   *store.Folder
	Cells    []study.Cell
	Prints   []string     // the fingerprints of the cells
	Last     *store.Run   // an earlier run, which has the times that cells took, if any
	Computed atomic.Int64 // number of cells that Compute has computed, not found
}

// Engine computes cells. It is safe for concurrent use.
type Engine struct {
	slots    *semaphore.Weighted
	warnings io.Writer
	progress progress
}

// New returns an engine that computes as many cells at a time as it has slots.
func New(slots int, warnings, progressTo io.Writer) *Engine {
	return &Engine{semaphore.NewWeighted(int64(slots)), warnings, progress{w: progressTo}}
}

// Compute computes the missing cells of an experiment, and returns all cells. After an error, or when ctx is
// cancelled, it starts no more cells, cancels the running ones and waits for them. It returns the first
// error, which names the cell, or the error of ctx if ctx ended before all cells were computed.
func (e *Engine) Compute(ctx context.Context, w *Work) ([]*store.Cell, error) {
	cells, expected, total := make([]*store.Cell, len(w.Cells)), make([]float64, len(w.Cells)), 0.0 // in seconds
	var missing []int
	for i, c := range w.Cells {
		var err error
		if cells[i], err = w.Folder.LoadCell(c.Key, w.Prints[i]); err != nil {
			fmt.Fprintf(e.warnings, "%s: %v; computing it again\n", w.Name, err)
		}
		if cells[i] == nil {
			missing, expected[i] = append(missing, i), w.Last.Expected(c.Group())
			total += expected[i]
		}
	}
	slices.SortStableFunc(missing, func(i, k int) int { return cmp.Compare(expected[k], expected[i]) })
	e.progress.start(w.Name, len(w.Cells), len(missing), total)
	for round := 0; len(missing) > 0; round++ {
		if round == 1 {
			fmt.Fprintf(e.progress.w, "%s: waiting for other processes, %d left\n", w.Name, len(missing))
		}
		if round > 0 {
			select {
			case <-ctx.Done(): // run returns its error
			case <-time.After(time.Second):
			}
		}
		err := e.run(ctx, missing, func(ctx context.Context, i int) (err error) {
			if cells[i], err = w.compute(ctx, i); cells[i] != nil {
				e.progress.done(expected[i])
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		missing = slices.DeleteFunc(missing, func(i int) bool { return cells[i] != nil })
	}
	return cells, nil
}

// run calls do with each task, in order, as soon as a slot is free. Concurrent calls of run share the slots.
// It returns when all tasks have ended. After the first error, which it returns, or when ctx is cancelled, it
// starts no more tasks and cancels the running ones.
func (e *Engine) run(ctx context.Context, tasks []int, do func(ctx context.Context, i int) error) error {
	group, inner := errgroup.WithContext(ctx)
	for _, i := range tasks {
		if err := e.slots.Acquire(inner, 1); err != nil {
			return cmp.Or(group.Wait(), err)
		}
		group.Go(func() error {
			err := do(inner, i)
			if err == nil {
				e.slots.Release(1)
			} else { // free the slot only once the group is cancelled, so that no task starts
				context.AfterFunc(inner, func() { e.slots.Release(1) })
			}
			return err
		})
	}
	return group.Wait()
}

// compute computes and stores a cell. It returns nil while another process computes the cell.
func (w *Work) compute(ctx context.Context, i int) (*store.Cell, error) {
	c := &store.Cell{Key: w.Cells[i].Key, Fingerprint: w.Prints[i]}
	release := w.Folder.Claim(c.Key)
	if release == nil {
		return nil, nil
	}
	defer release()
	if found, _ := w.Folder.LoadCell(c.Key, c.Fingerprint); found != nil {
		return found, nil
	}
	var err error
	c.CPU, err = task.Run(ctx, func(ctx context.Context) (err error) {
		c.Tables, c.Files, err = w.Cells[i].Run(ctx)
		return err
	})
	if err == nil {
		err = w.Folder.SaveCell(c)
	}
	if err != nil {
		return nil, fmt.Errorf("cell %s: %w", c.Key, err)
	}
	w.Computed.Add(1)
	return c, nil
}
