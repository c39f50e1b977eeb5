// Package engine computes the cells of experiments on all cores. Cells of several experiments share its
// slots, and the slowest of an experiment come first. Several processes, on several machines, may compute the
// cells of one folder: each claims the cells that it computes.
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
	Prints   []string     // their fingerprints
	Last     *store.Run   // an earlier run, which has the times that cells took; nil: unknown
	Computed atomic.Int64 // how many cells Compute has computed, rather than found
}

func (w *Work) load(i int) (*store.Cell, error) {
	return w.Folder.LoadCell(w.Cells[i].Key, w.Prints[i])
}

// Load returns all cells, which must be done.
func (w *Work) Load() (cells []*store.Cell, err error) {
	for i, c := range w.Cells {
		cell, err := w.load(i)
		if cell == nil {
			return nil, cmp.Or(err, fmt.Errorf("cell %s has vanished", c.Key))
		}
		cells = append(cells, cell)
	}
	return cells, nil
}

// Engine computes cells. It is safe for concurrent use.
type Engine struct {
	slots    *semaphore.Weighted
	warnings io.Writer
	progress progress
}

// New returns an engine that computes so many cells at a time.
func New(slots int, warnings, progressTo io.Writer) *Engine {
	return &Engine{semaphore.NewWeighted(int64(slots)), warnings, progress{w: progressTo}}
}

// Compute computes the missing cells of an experiment. After an error, or when ctx is cancelled, it starts no
// more cells, cancels running ones and waits for them. It returns the first error, which names the cell, or
// the error of ctx if that kept a cell from being computed.
func (e *Engine) Compute(ctx context.Context, w *Work) error {
	expected, total := make([]float64, len(w.Cells)), 0.0 // seconds
	var missing []int
	for i, c := range w.Cells {
		found, err := w.load(i)
		if err != nil {
			fmt.Fprintf(e.warnings, "%s: %v; computing it again\n", w.Name, err)
		}
		if found == nil {
			missing, expected[i] = append(missing, i), w.Last.Expected(c.Group())
			total += expected[i]
		}
	}
	slices.SortStableFunc(missing, func(i, k int) int { return cmp.Compare(expected[k], expected[i]) })
	e.progress.start(w.Name, len(w.Cells), len(missing), total)
	done := make([]bool, len(w.Cells))
	for round := 0; len(missing) > 0; round++ {
		if round == 1 {
			fmt.Fprintf(e.progress.w, "%s: waiting for other processes, %d left\n", w.Name, len(missing))
		}
		if round > 0 {
			time.Sleep(time.Second) // before it looks again
		}
		err := e.run(ctx, missing, func(ctx context.Context, i int) (err error) {
			if done[i], err = w.compute(ctx, i); done[i] {
				e.progress.done(expected[i])
			}
			return err
		})
		if err != nil {
			return err
		}
		missing = slices.DeleteFunc(missing, func(i int) bool { return done[i] })
	}
	return nil
}

// run calls do with each task, in their order, in slots that several calls take in turn. It returns when all
// tasks have ended. After the first error, which it returns, or if ctx is cancelled, it starts no more and
// cancels the rest.
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
			} else { // only once the group is cancelled, so that no task starts
				context.AfterFunc(inner, func() { e.slots.Release(1) })
			}
			return err
		})
	}
	return group.Wait()
}

// compute computes and stores a cell, unless another process has it. It reports whether the cell is done.
func (w *Work) compute(ctx context.Context, i int) (done bool, err error) {
	c := &store.Cell{Key: w.Cells[i].Key, Fingerprint: w.Prints[i]}
	release := w.Folder.Claim(c.Key)
	if release == nil {
		return false, nil
	}
	defer release()
	if found, _ := w.load(i); found != nil {
		return true, nil
	}
	c.CPU, err = task.Run(ctx, func(ctx context.Context) (err error) {
		c.Tables, err = w.Cells[i].Run(ctx)
		return err
	})
	if err == nil {
		err = w.Folder.SaveCell(c)
	}
	if err != nil {
		return false, fmt.Errorf("cell %s: %w", c.Key, err)
	}
	w.Computed.Add(1)
	return true, nil
}
