package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"closedform/runner/internal/pool"
	"closedform/runner/internal/store"
)

// Here computes on this machine. Several processes, on several machines, may compute the
// cells of one folder: each claims the cells that it computes, and waits for those of
// others. Cells of all experiments wait in one queue, the slowest first.
type Here struct {
	Pool     *pool.Pool                    // of the cells of all experiments
	Part     func(name string, i int) bool // whether cell i of an experiment is computed here; nil: all are
	Task     bool                          // go on after an error
	Merge    string                        // PLAN/ARRAY: compute nothing, all cells of this array must be there
	Stderr   io.Writer                     // for warnings
	Progress Progress
}

// poll is the interval at which a process looks for cells of others.
const poll = time.Second

// Compute computes the missing cells of an experiment. After an error, except in a task, or when ctx is
// cancelled, it starts no more cells, cancels running ones and waits for them. It returns the
// first error, which names the cell, or the error of ctx if that kept a cell from
// being computed. The error of a merge lists the missing cells and why they are missing.
func (h *Here) Compute(ctx context.Context, w *Work) error {
	if h.Merge == "" {
		if err := w.others(); err != nil {
			return err
		}
	}
	mine := slices.DeleteFunc(w.All(), func(i int) bool { return h.Part != nil && !h.Part(w.Name, i) })
	damaged := w.look(mine)
	left := w.absent()
	if h.Merge != "" {
		return h.merge(w, left, damaged)
	}
	for _, err := range damaged {
		fmt.Fprintf(h.Stderr, "%s: %v; computing it again\n", w.Name, err)
	}
	h.Progress.Start(w.Name, len(mine), len(mine)-len(left))
	var failed []error
	for told := false; len(left) > 0; {
		err := h.round(ctx, w, left)
		left = w.absent()
		if err != nil && !h.Task || len(left) > 0 && ctx.Err() != nil {
			return cmp.Or(err, ctx.Err())
		}
		failed = append(failed, err)
		if err != nil || len(left) == 0 {
			break
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
	return errors.Join(failed...)
}

// round computes the cells that nobody else has claimed. In a task an error stops no other cell.
func (h *Here) round(ctx context.Context, w *Work, todo []int) error {
	var mu sync.Mutex
	var failed []error
	err := h.Pool.Run(ctx, w.Expected(todo), func(inner context.Context, k int) error {
		cell, computed, err := w.compute(inner, todo[k])
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err != nil:
			err = fmt.Errorf("cell %s: %w", w.Cells[todo[k]].Key, err)
			if !h.Task || ctx.Err() != nil {
				return err
			}
			failed = append(failed, err)
		case cell != nil:
			w.done(todo[k], cell)
			if computed {
				w.Computed++
			}
			h.Progress.Done()
		}
		return nil
	})
	return cmp.Or(err, errors.Join(failed...))
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

// merge returns an error that names cells which an array has not computed.
func (h *Here) merge(w *Work, missing []int, damaged []error) error {
	for _, err := range damaged {
		fmt.Fprintf(h.Stderr, "%s: %v\n", w.Name, err)
	}
	if len(missing) == 0 {
		return nil
	}
	dir, array := filepath.Split(h.Merge)
	return fmt.Errorf("%d of %s are missing, such as %s; the same command again computes them; what the tasks said is in %s%s_*.log",
		len(missing), count(len(w.Cells), "cell"), strings.Join(w.keys(missing[:min(len(missing), 5)]), ", "), dir, array)
}
