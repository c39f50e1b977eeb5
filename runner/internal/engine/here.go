package engine

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"closedform/runner/internal/pool"
	"closedform/runner/internal/store"
)

// Here computes on this machine. Several processes, on several machines, may compute the
// cells of one folder: each claims the cells that it computes, and waits for those of
// others. Cells of all experiments wait in one queue, the slowest first.
type Here struct {
	Pool     *pool.Pool // of the cells of all experiments
	Stderr   io.Writer  // for warnings
	Progress Progress
}

// poll is the interval at which a process looks for cells of others.
const poll = time.Second

// Compute computes the missing cells of an experiment. After an error, or when ctx is cancelled, it starts no
// more cells, cancels running ones and waits for them. It returns the first error, which names the cell, or the
// error of ctx if that kept a cell from being computed.
func (h *Here) Compute(ctx context.Context, w *Work) error {
	if err := w.others(); err != nil {
		return err
	}
	for _, err := range w.look() {
		fmt.Fprintf(h.Stderr, "%s: %v; computing it again\n", w.Name, err)
	}
	left := w.absent()
	h.Progress.Start(w.Name, len(w.Cells), w.Expected(left))
	for told := false; len(left) > 0; {
		err := h.round(ctx, w, left)
		left = w.absent()
		if err == nil && len(left) > 0 {
			err = ctx.Err()
		}
		if err != nil || len(left) == 0 {
			return err
		}
		if !told {
			fmt.Fprintf(h.Progress.W, "%s: waiting for %s that others compute\n", w.Name, count(len(left), "cell"))
			told = true
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(poll):
		}
	}
	return nil
}

// round computes the cells that nobody else has claimed.
func (h *Here) round(ctx context.Context, w *Work, todo []int) error {
	var mu sync.Mutex
	expected := w.Expected(todo)
	return h.Pool.Run(ctx, expected, func(inner context.Context, k int) error {
		cell, computed, err := w.compute(inner, todo[k])
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err != nil:
			return fmt.Errorf("cell %s: %w", w.Cells[todo[k]].Key, err)
		case cell != nil:
			w.done(todo[k], cell)
			if computed {
				w.Computed++
			}
			h.Progress.Done(expected[k])
		}
		return nil
	})
}

// compute computes a cell and stores it, unless another process has claimed or
// just finished it.
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
