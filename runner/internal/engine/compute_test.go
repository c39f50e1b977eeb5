package engine

import (
	"context"
	"fmt"
	"io"
	"slices"
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
	f := check.Must(store.Open(dir, ""))
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
