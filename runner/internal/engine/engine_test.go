package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// cellsOf returns n cells that do work.
func cellsOf(n int, work func(ctx context.Context, i int) error) []study.Cell {
	cells := make([]study.Cell, n)
	for i := range cells {
		cells[i] = study.Cell{Key: fmt.Sprintf("c%d", i), Run: func(ctx context.Context) (table.Set, error) {
			return table.Set{table.New(fmt.Sprint(i))}, work(ctx, i)
		}}
	}
	return cells
}

func ignore(int, table.Set, time.Duration) error { return nil }

func TestEachCellOnceInOrder(t *testing.T) {
	for _, workers := range []int{1, 3, 100} {
		const n = 40
		var mu sync.Mutex
		var order []int
		var active, most atomic.Int64
		err := Compute(t.Context(), workers, cellsOf(n, func(context.Context, int) error {
			a := active.Add(1)
			defer active.Add(-1)
			for m := most.Load(); a > m && !most.CompareAndSwap(m, a); m = most.Load() {
			}
			return nil
		}), func(i int, tables table.Set, took time.Duration) error {
			mu.Lock()
			defer mu.Unlock()
			if tables[0].Name != fmt.Sprint(i) || took < 0 {
				t.Errorf("cell %d has the tables of cell %s, after %v", i, tables[0].Name, took)
			}
			order = append(order, i)
			return nil
		})
		if workers == 1 && !slices.IsSorted(order) {
			t.Errorf("one worker computed the cells in the order %v", order)
		}
		slices.Sort(order)
		if err != nil || len(order) != n || len(slices.Compact(order)) != n || most.Load() > int64(workers) {
			t.Errorf("%d workers: %v, computed %v, %d at a time", workers, err, order, most.Load())
		}
	}
	// Four cells that wait for each other end only if they run together.
	var together sync.WaitGroup
	together.Add(4)
	err := Compute(t.Context(), 4, cellsOf(4, func(context.Context, int) error {
		together.Done()
		together.Wait()
		return nil
	}), ignore)
	if err != nil {
		t.Fatal(err)
	}
}

func TestFirstErrorStops(t *testing.T) {
	bad := errors.New("no convergence")
	var ran [1000]bool
	underWay := make(chan struct{})
	ended := false
	err := Compute(t.Context(), 2, cellsOf(len(ran), func(ctx context.Context, i int) error {
		ran[i] = true
		switch i {
		case 2:
			<-underWay
			return bad
		case 3:
			close(underWay)
			<-ctx.Done() // it is told to stop
			ended = true
		}
		return nil
	}), ignore)
	if !errors.Is(err, bad) || err.Error() != "cell c2: no convergence" {
		t.Errorf("error %v, want that of cell c2", err)
	}
	if !ended {
		t.Error("the cell under way was not waited for")
	}
	for i, r := range ran {
		if r != (i <= 3) {
			t.Errorf("cell %d: ran is %v", i, r)
		}
	}
	full := func(i int, _ table.Set, _ time.Duration) error { return errors.New("disk full") }
	if err := Compute(t.Context(), 1, cellsOf(2, func(context.Context, int) error { return nil }), full); err == nil || err.Error() != "cell c0: disk full" {
		t.Errorf("a cell that cannot be kept: %v", err)
	}
	err = Compute(t.Context(), 2, cellsOf(3, func(_ context.Context, i int) error { return explode(i) }), ignore)
	if err == nil || !strings.Contains(err.Error(), "panic: ") || !strings.Contains(err.Error(), "engine.explode") {
		t.Errorf("a panic: %v", err)
	}
}

func explode(i int) error { panic(fmt.Sprint("index out of nowhere ", i)) }

func TestCancelled(t *testing.T) {
	for _, c := range []struct {
		n, at, done int
		want        error
	}{
		{10, 4, 5, context.Canceled}, // the cell under way ends well
		{3, 2, 3, nil},               // when all is done, it has not kept anything
	} {
		ctx, cancel := context.WithCancel(t.Context())
		done := 0
		err := Compute(ctx, 1, cellsOf(c.n, func(_ context.Context, i int) error {
			if i == c.at {
				cancel()
			}
			return nil
		}), func(int, table.Set, time.Duration) error { done++; return nil })
		cancel()
		if !errors.Is(err, c.want) || done != c.done {
			t.Errorf("cancelled in cell %d of %d: %v, %d done", c.at, c.n, err, done)
		}
	}
}
