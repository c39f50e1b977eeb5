package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"closedform/runner/internal/pool"
	"closedform/runner/internal/store"
)

// Here computes on this machine. Several processes, on several machines, may compute the
// cells of one folder: each claims the cells that it computes, and waits for those of
// others. Cells of all experiments wait in one queue, those first that are expected to take
// longest.
type Here struct {
	Workers  int                           // cells at a time, of all experiments
	Part     func(name string, i int) bool // whether cell i of an experiment is computed here; nil: all are
	Task     bool                          // go on after an error, and pack the cells
	Stderr   io.Writer                     // for warnings
	Progress io.Writer

	once     sync.Once
	shared   *pool.Pool
	progress Board
}

// Pool returns the pool of all experiments.
func (h *Here) Pool() *pool.Pool {
	h.once.Do(func() { h.shared = pool.New(h.Workers) })
	return h.shared
}

// poll is how often one looks for what others do.
var poll = time.Second

// many cells are packed, so many to a file, which spares file systems.
const many = 1000

// Compute implements [Engine]. After the first error, but for a task, or when ctx is
// cancelled, it begins no more cells, cancels those under way and waits for them. The
// error is the first, which names the cell, or that of ctx if this kept a cell from
// being computed.
func (h *Here) Compute(ctx context.Context, w *Work) error {
	if err := w.Folder.Others(w.keys(), w.Prints); err != nil {
		return err
	}
	mine := part(len(w.Cells), func(i int) bool { return h.Part == nil || h.Part(w.Name, i) })
	for _, err := range w.look(mine, h.Workers) {
		fmt.Fprintf(h.Stderr, "%s: %v; computing it again\n", w.Name, err)
	}
	left := w.absent(mine)
	progress := h.progress.Start(h.Progress, w.Name, len(mine), len(mine)-len(left))
	defer progress.Stop()
	var failed []error
	for told := false; len(left) > 0; {
		err := h.round(ctx, w, left, progress)
		left = w.absent(left)
		if err != nil && !h.Task || len(left) > 0 && ctx.Err() != nil {
			return cmp.Or(err, ctx.Err())
		}
		failed = append(failed, err)
		if err != nil || len(left) == 0 {
			break
		}
		if !told {
			fmt.Fprintf(h.Progress, "%s: waiting for %s that others compute\n", w.Name, count(len(left), "cell"))
			told = true
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(poll):
		}
	}
	if w.Computed > 0 && (h.Task || len(mine) >= many) {
		failed = append(failed, w.pack(mine))
	}
	return errors.Join(failed...)
}

// Finish implements [Engine].
func (h *Here) Finish(context.Context) error { return nil }

// round computes the cells that nobody else has claimed. In a task an error stops no other cell.
func (h *Here) round(ctx context.Context, w *Work, todo []int, progress *Progress) error {
	var mu sync.Mutex
	var failed []error
	err := h.Pool().Run(ctx, w.Expected(todo), func(inner context.Context, k int) error {
		i := todo[k]
		cell, computed, err := w.compute(inner, i)
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err != nil && h.Task && ctx.Err() == nil:
			failed = append(failed, fmt.Errorf("cell %s: %w", w.Cells[i].Key, err))
		case err != nil:
			return fmt.Errorf("cell %s: %w", w.Cells[i].Key, err)
		case cell != nil:
			w.done(i, cell)
			if computed {
				w.Computed++
			}
			progress.Done()
		}
		return nil
	})
	return cmp.Or(err, errors.Join(failed...))
}

// compute computes a cell and keeps it, unless another process has it claimed, or has
// just done it.
func (w *Work) compute(ctx context.Context, i int) (c *store.Cell, computed bool, err error) {
	key, print := w.Cells[i].Key, w.Prints[i]
	release := w.Folder.Claim(key, print)
	if release == nil {
		return nil, false, nil
	}
	defer release()
	if c, _ := w.Folder.LoadCell(key, print); c != nil {
		return c, false, nil
	}
	if c, err = w.run(ctx, i); err != nil {
		return nil, false, err
	}
	return c, true, w.Folder.SaveCell(c)
}

// pack packs the cells of a part.
func (w *Work) pack(part []int) error {
	for few := range slices.Chunk(part, many) {
		var keys []string
		for _, i := range few {
			keys = append(keys, w.Cells[i].Key)
		}
		if err := w.Folder.Pack(keys); err != nil {
			return err
		}
	}
	return nil
}
