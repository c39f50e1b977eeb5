package engine

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gonum.org/v1/gonum/floats"

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

// While another process computes a cell, an interrupt ends the wait at once.
func TestInterruptedWait(t *testing.T) {
	f := check.Must(store.Open(t.TempDir(), "cells"))
	defer f.Close()
	release := f.Claim("key")
	defer release()
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 1300*time.Millisecond)
		defer cancel()
		w := &Work{Name: "x", Folder: f, Cells: []study.Cell{{Key: "key"}}, Prints: []string{"a"}, Last: new(store.Run)}
		_, err := slots(1).Compute(ctx, w)
		check.True(t, errors.Is(err, context.DeadlineExceeded), "error %v", err)
		check.Equal(t, "waited", time.Since(begin), 1300*time.Millisecond)
	})
}

// shown returns what is written while cells are computed, each in the time that it takes. The cells of
// earlier runs are done before, and the last ones are not computed.
func shown(t *testing.T, early int, expected []float64, last int, takes time.Duration) string {
	var out strings.Builder
	synctest.Test(t, func(*testing.T) {
		p := &progress{w: &out}
		p.start("x", early+len(expected), len(expected), floats.Sum(expected))
		for _, seconds := range expected[:len(expected)-last] {
			time.Sleep(time.Duration(seconds) * takes)
			p.done(seconds)
		}
	})
	return out.String()
}

func TestLines(t *testing.T) {
	equal := func(n int) []float64 { return slices.Repeat([]float64{1}, n) }
	// A cell ends each 1.5 s, so that 5 s are over after each fourth.
	lines := strings.Split(shown(t, 0, equal(60), 0, 1500*time.Millisecond), "\n")
	want := []string{"x: 0/60 cells", "4/60 cells, 6s, about 1m24s left", "8/60 cells, 12s, about 1m18s left"}
	check.Equal(t, "it begins", lines[:3], want)
	want = []string{"56/60 cells, 1m24s, about 6s left", "60/60 cells, 1m30s, about 0s left", ""}
	check.Equal(t, "it ends", lines[14:], want)
	for want, got := range map[string]string{
		"x: 0/3 cells\n": shown(t, 0, equal(3), 2, 2*time.Second),
		// It goes on where it was, and what was done before took no time.
		"x: 38/60 cells\n39/60 cells, 5s, about 1m45s left\n": shown(t, 38, equal(22), 21, 5*time.Second),
		// The first of 1001 cells takes as long as all the others.
		"x: 0/1001 cells\n1/1001 cells, 33m20s, about 33m20s left\n": shown(t, 0,
			append([]float64{1000}, equal(1000)...), 1000, 2*time.Second),
		"": shown(t, 0, nil, 0, 0) + shown(t, 7, nil, 0, 0),
	} {
		check.Equal(t, "it shows", got, want)
	}
}
