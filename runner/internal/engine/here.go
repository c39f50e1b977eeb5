package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"closedform/runner/internal/store"
)

// Here computes on this machine. Several processes, on several machines, may compute the
// cells of one folder: each claims the cells that it computes, and waits for those of
// others.
type Here struct {
	Workers  int                           // cells at a time
	Part     func(name string, i int) bool // whether cell i of an experiment is computed here; nil: all are
	Task     bool                          // go on after an error, and pack the cells
	Stderr   io.Writer                     // for warnings
	Progress io.Writer
}

// poll is how often one looks for what others do.
var poll = time.Second

// many cells are packed, so many to a file, which spares file systems.
const many = 1000

// Compute implements [Engine]. After the first error, but for a task, or when ctx is
// cancelled, it begins no more cells, cancels those under way and waits for them. The
// error is the first, which names the cell, or that of ctx if this kept a cell from
// being computed.
func (h *Here) Compute(ctx context.Context, w *Work) ([]*store.Cell, error) {
	if err := w.Folder.Others(w.keys(), w.Prints); err != nil {
		return nil, err
	}
	mine := part(len(w.Cells), func(i int) bool { return h.Part == nil || h.Part(w.Name, i) })
	w.Mine = len(mine)
	cells, damaged := w.load(mine, h.Workers)
	for _, err := range damaged {
		fmt.Fprintf(h.Stderr, "%s: %v; computing it again\n", w.Name, err)
	}
	left := absent(mine, cells)
	progress := Start(h.Progress, w.Name, len(mine), len(mine)-len(left))
	defer progress.Stop()
	var failed []error
	for told := false; len(left) > 0; {
		err := h.round(ctx, w, left, cells, progress)
		left = absent(left, cells)
		if err != nil && !h.Task || len(left) > 0 && ctx.Err() != nil {
			return cells, cmp.Or(err, ctx.Err())
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
			return cells, ctx.Err()
		case <-time.After(poll):
		}
	}
	if w.Computed > 0 && (h.Task || len(mine) >= many) {
		failed = append(failed, w.pack(mine))
	}
	return cells, errors.Join(failed...)
}

// Finish implements [Engine].
func (h *Here) Finish(context.Context) error { return nil }

// round computes the cells that nobody else has claimed.
func (h *Here) round(ctx context.Context, w *Work, todo []int, cells []*store.Cell, progress *Progress) error {
	var mu sync.Mutex
	return each(ctx, h.Workers, len(todo), h.Task, func(ctx context.Context, k int) error {
		i := todo[k]
		cell, computed, err := w.compute(ctx, i)
		if err != nil {
			return fmt.Errorf("cell %s: %w", w.Cells[i].Key, err)
		}
		if cell == nil {
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		cells[i] = cell
		if computed {
			w.Computed++
		}
		progress.Done()
		return nil
	})
}

// compute computes a cell and keeps it, unless another process has it claimed, or has
// just done it. A panic becomes an error with its stack.
func (w *Work) compute(ctx context.Context, i int) (c *store.Cell, computed bool, err error) {
	key, print := w.Cells[i].Key, w.Prints[i]
	release := w.Folder.Claim(key, print)
	if release == nil {
		return nil, false, nil
	}
	defer release()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	if c, _ := w.Folder.LoadCell(key, print); c != nil {
		return c, false, nil
	}
	begin := time.Now()
	tables, err := w.Cells[i].Run(ctx)
	if err != nil {
		return nil, false, err
	}
	c = &store.Cell{Key: key, Fingerprint: print, Tables: tables, Seconds: time.Since(begin).Seconds()}
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

// each calls do for 0 to n-1, in order, so many at a time. After the first error, unless
// it is to go on, or when ctx is cancelled, it begins no more, cancels those under way
// and waits for them.
func each(ctx context.Context, workers, n int, goOn bool, do func(ctx context.Context, i int) error) error {
	g, inner := errgroup.WithContext(ctx)
	g.SetLimit(workers)
	var mu sync.Mutex
	var failed []error
	for i := range n {
		g.Go(func() error {
			// Cancelled here means that this one is not to be begun: the error of the one
			// that did it is the group's, being first.
			if err := inner.Err(); err != nil {
				return err
			}
			err := do(inner, i)
			if err != nil && goOn && ctx.Err() == nil {
				mu.Lock()
				defer mu.Unlock()
				failed = append(failed, err)
				return nil
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return errors.Join(failed...)
}
