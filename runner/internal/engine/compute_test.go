package engine

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"

	check "closedform/internal/checktest"
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Each cell is computed once, never more at a time than there are workers, and by one worker in order.
func TestCompute(t *testing.T) {
	for _, workers := range []int{1, 3, 100} {
		const n = 40
		var mu sync.Mutex
		var order []int
		var g gauge
		w := &Work{Name: "x", Folder: check.Must(store.Open(t.TempDir(), ""))}
		for i := range n {
			w.Prints = append(w.Prints, "f")
			run := func(context.Context) (table.Set, error) {
				defer g.in()()
				mu.Lock()
				defer mu.Unlock()
				order = append(order, i)
				return table.Set{table.New(fmt.Sprint(i))}, nil
			}
			w.Cells = append(w.Cells, study.Cell{Key: fmt.Sprint("c", i), Run: run})
		}
		e := &Engine{Pool: NewPool(workers), Stderr: io.Discard, Progress: Progress{W: io.Discard}}
		check.OK(t, e.Compute(t.Context(), w))
		for i, c := range check.Must(w.Load()) {
			check.Equal(t, "cell", []any{c.Tables[0].Name, c.CPU > 0}, []any{fmt.Sprint(i), true})
		}
		if workers == 1 && !slices.IsSorted(order) || g.most.Load() > int64(workers) {
			t.Errorf("%d workers computed the cells in the order %v, %d at a time", workers, order, g.most.Load())
		}
		slices.Sort(order)
		check.Equal(t, "computed", []int{w.Computed, len(order), len(slices.Compact(order))}, []int{n, n, n})
		w.Folder.Close()
	}
}
