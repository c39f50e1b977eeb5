package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	check "closedform/internal/checktest"
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// work returns n cells that do something, in a new folder.
func work(t testing.TB, n int, do func(ctx context.Context, i int) error) *Work {
	t.Helper()
	w := &Work{Name: "x", Folder: open(t, t.TempDir())}
	for i := range n {
		w.Cells = append(w.Cells,
			study.Cell{Key: fmt.Sprintf("c%d", i), Run: func(ctx context.Context) (table.Set, error) {
				return table.Set{table.New(fmt.Sprint(i))}, do(ctx, i)
			}})
		w.Prints = append(w.Prints, "f")
	}
	return w
}

func open(t testing.TB, dir string) *store.Folder {
	t.Helper()
	f := check.Must(store.Open(dir))
	t.Cleanup(func() { f.Close() })
	return f
}

func engine(workers int) *Engine {
	return &Engine{Pool: NewPool(workers), Stderr: io.Discard, Progress: Progress{W: io.Discard}}
}

func TestEachCellOnceInOrder(t *testing.T) {
	for _, workers := range []int{1, 3, 100} {
		const n = 40
		var mu sync.Mutex
		var order []int
		var at, most atomic.Int64
		w := work(t, n, func(_ context.Context, i int) error {
			now := at.Add(1)
			defer at.Add(-1)
			time.Sleep(time.Millisecond)
			mu.Lock()
			defer mu.Unlock()
			order = append(order, i)
			most.Store(max(most.Load(), now))
			return nil
		})
		err := engine(workers).Compute(t.Context(), w)
		for i, c := range check.Must(w.Load()) {
			if c.Tables[0].Name != fmt.Sprint(i) || !(c.CPU > 0) {
				t.Errorf("cell %d is %+v", i, c)
			}
		}
		if workers == 1 && !slices.IsSorted(order) {
			t.Errorf("one worker computed the cells in the order %v", order)
		}
		slices.Sort(order)
		if most.Load() > int64(workers) {
			t.Errorf("%d cells at a time by %d workers", most.Load(), workers)
		}
		if err != nil || w.Computed != n || len(order) != n || len(slices.Compact(order)) != n {
			t.Errorf("%d workers: %v, computed %v", workers, err, order)
		}
	}
}

func TestFirstErrorStops(t *testing.T) {
	bad := errors.New("no convergence")
	var ran [1000]bool
	underWay := make(chan struct{})
	ended := false
	err := engine(2).Compute(t.Context(), work(t, len(ran), func(ctx context.Context, i int) error {
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
	}))
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
	err = engine(2).Compute(t.Context(), work(t, 3, func(_ context.Context, i int) error { return explode(i) }))
	if err == nil || !strings.Contains(err.Error(), "panic: ") ||
		!strings.Contains(err.Error(), "engine.explode") {
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
		w := work(t, c.n, func(_ context.Context, i int) error {
			if i == c.at {
				cancel()
			}
			return nil
		})
		err := engine(1).Compute(ctx, w)
		cancel()
		if !errors.Is(err, c.want) || w.Computed != c.done {
			t.Errorf("cancelled in cell %d of %d: %v, %d done", c.at, c.n, err, w.Computed)
		}
	}
}
