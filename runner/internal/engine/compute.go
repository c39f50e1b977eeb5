// Package engine computes the cells of experiments on all cores. Cells of several experiments wait in one
// queue, the slowest first, and a cell may spread its own parts over idle slots. Several processes, on
// several machines, may compute the cells of one folder: each claims the cells that it computes.
package engine

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
)

// Work is an experiment whose cells are needed.
type Work struct {
	Name     string
	Folder   *store.Folder
	Cells    []study.Cell
	Prints   []string   // their fingerprints
	Last     *store.Run // an earlier run, which has the times that cells took; nil: unknown
	Computed int        // how many cells Compute has computed, rather than found

	mu   sync.Mutex // of Computed
	done []bool
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
	Pool     *Pool     // of the cells of all experiments
	Stderr   io.Writer // for warnings
	Progress Progress
}

// Compute computes the missing cells of an experiment. After an error, or when ctx is cancelled, it starts no
// more cells, cancels running ones and waits for them. It returns the first error, which names the cell, or
// the error of ctx if that kept a cell from being computed.
func (e *Engine) Compute(ctx context.Context, w *Work) error {
	w.done = make([]bool, len(w.Cells))
	for i := range w.Cells {
		c, err := w.load(i)
		if w.done[i] = c != nil; err != nil {
			fmt.Fprintf(e.Stderr, "%s: %v; computing it again\n", w.Name, err)
		}
	}
	missing, expected := w.missing()
	e.Progress.Start(w.Name, len(w.Cells), expected)
	for round := 0; len(missing) > 0; round++ {
		if round == 1 {
			fmt.Fprintf(e.Progress.W, "%s: waiting for other processes, %d left\n", w.Name, len(missing))
		}
		if round > 0 {
			time.Sleep(time.Second) // before it looks again
		}
		err := e.Pool.Run(ctx, expected, func(ctx context.Context, k int) (err error) {
			i := missing[k]
			if w.done[i], err = w.compute(ctx, i); w.done[i] {
				e.Progress.Done(expected[k])
			}
			return err
		})
		if err != nil {
			return err
		}
		missing, expected = w.missing()
	}
	return nil
}

func (w *Work) missing() (cells []int, seconds []float64) {
	for i, done := range w.done {
		if !done {
			cells = append(cells, i)
			seconds = append(seconds, w.Last.Expected(w.Cells[i].Group()))
		}
	}
	return cells, seconds
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
	c.CPU, err = Measure(ctx, func(ctx context.Context) (err error) {
		c.Tables, err = w.Cells[i].Run(ctx)
		return err
	})
	if err == nil {
		err = w.Folder.SaveCell(c)
	}
	if err != nil {
		return false, fmt.Errorf("cell %s: %w", c.Key, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.Computed++
	return true, nil
}
