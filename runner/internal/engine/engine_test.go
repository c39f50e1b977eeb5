package engine

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	check "closedform/internal/checktest"
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// gauge counts what happens at the same time.
type gauge struct{ now, most atomic.Int64 }

func (g *gauge) in() (out func()) {
	n := g.now.Add(1)
	for m := g.most.Load(); n > m && !g.most.CompareAndSwap(m, n); m = g.most.Load() {
	}
	return func() { g.now.Add(-1) }
}

func slots(n int) *Engine { return New(n, io.Discard, io.Discard) }

// Two calls fill all slots, and never more.
func TestSlots(t *testing.T) {
	e := slots(3)
	var g gauge
	var group, together sync.WaitGroup
	together.Add(3) // the first three go on together, or not at all
	var begun, done atomic.Int64
	for range 2 {
		group.Go(func() {
			check.OK(t, e.run(t.Context(), make([]int, 100), func(context.Context, int) error {
				defer g.in()()
				if begun.Add(1) <= 3 {
					together.Done()
					together.Wait()
				}
				time.Sleep(100 * time.Microsecond)
				done.Add(1)
				return nil
			}))
		})
	}
	group.Wait()
	check.Equal(t, "tasks, and at a time", []int64{done.Load(), g.most.Load()}, []int64{200, 3})
	check.Equal(t, "all slots are idle", e.slots.TryAcquire(3), true)
}

// The first error ends what it belongs to, and nothing else.
func TestErrors(t *testing.T) {
	bad := errors.New("bad")
	e := slots(2)
	var others, begun atomic.Int64
	var group sync.WaitGroup
	group.Go(func() {
		check.OK(t, e.run(t.Context(), make([]int, 50), func(context.Context, int) error {
			others.Add(1)
			return nil
		}))
	})
	err := e.run(t.Context(), make([]int, 50), func(ctx context.Context, i int) error {
		if begun.Add(1) == 1 {
			return bad
		}
		<-ctx.Done()
		return ctx.Err()
	})
	group.Wait()
	check.True(t, err == bad && begun.Load() <= 2 && others.Load() == 50,
		"error %v, %d tasks begun, %d of the others", err, begun.Load(), others.Load())
	for range 1000 { // a slot is free only when all know of the error
		begun.Store(0)
		err = slots(1).run(t.Context(), make([]int, 3), func(context.Context, int) error {
			begun.Add(1)
			return bad
		})
		if err != bad || begun.Load() != 1 {
			t.Fatalf("error %v, %d tasks begun after it", err, begun.Load()-1)
		}
	}
	// Tasks begin in their order, until the end of the context.
	ctx, cancel := context.WithCancel(t.Context())
	var order []int
	err = slots(1).run(ctx, []int{1, 9, 5, 6}, func(_ context.Context, i int) error {
		if order = append(order, i); len(order) == 3 {
			cancel()
		}
		return nil
	})
	check.Refuses(t, "cancelled in the third", err, "canceled")
	check.Equal(t, "order", order, []int{1, 9, 5})
}

// The slowest cells come first. A cell that fails names itself, and finished ones are found by the next call.
func TestCompute(t *testing.T) {
	folder := check.Must(store.Open(t.TempDir(), "cells"))
	defer folder.Close()
	last := &store.Run{CellSeconds: map[string]float64{"a": 1, "b": 9, "c": 5}}
	w := &Work{Name: "x", Folder: folder, Prints: []string{"1", "2", "3", "4"}, Last: last}
	order, bad := "", errors.New("bad")
	for _, key := range []string{"a", "b", "c seed=1", "c seed=2"} {
		w.Cells = append(w.Cells, study.Cell{Key: key, Run: func(context.Context) (table.Tables, []store.File, error) {
			order += key + ", "
			return nil, []store.File{{Name: "key", Data: []byte(key)}}, map[string]error{"a": bad}[key]
		}})
	}
	check.Refuses(t, "a cell that fails", check.Err(slots(1).Compute(t.Context(), w)), "cell a: bad")
	bad = nil
	cells := check.Must(slots(1).Compute(t.Context(), w))
	check.Equal(t, "order", order, "b, c seed=1, c seed=2, a, a, ")
	check.Equal(t, "computed", w.Computed.Load(), 4)
	check.Equal(t, "cells", []any{len(cells), string(cells[2].Files[0].Data)}, []any{4, "c seed=1"})
}
