package engine

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	check "closedform/internal/checktest"
)

// unknown are n tasks whose time is not known.
func unknown(n int) []float64 { return make([]float64, n) }

// busy spends processor time.
func busy(d time.Duration) {
	for begin := threadTime(); threadTime()-begin < d; {
	}
}

// gauge counts what happens at the same time.
type gauge struct{ now, most atomic.Int64 }

func (g *gauge) in() (out func()) {
	n := g.now.Add(1)
	for m := g.most.Load(); n > m && !g.most.CompareAndSwap(m, n); m = g.most.Load() {
	}
	return func() { g.now.Add(-1) }
}

// Two calls with parts of tasks fill all slots, and never more: parts take the slots that are idle.
func TestSlots(t *testing.T) {
	p := NewPool(3)
	var g gauge
	var group, together sync.WaitGroup
	together.Add(3) // the first three go on together, or not at all
	var begun, done atomic.Int64
	for range 2 {
		group.Go(func() {
			check.OK(t, p.Run(t.Context(), unknown(10), func(ctx context.Context, _ int) error {
				return Each(ctx, 6, func(ctx context.Context, _ int) error {
					return Each(ctx, 2, func(context.Context, int) error {
						defer g.in()()
						if begun.Add(1) <= 3 {
							together.Done()
							together.Wait()
						}
						time.Sleep(100 * time.Microsecond)
						done.Add(1)
						return nil
					})
				})
			}))
		})
	}
	group.Wait()
	check.Equal(t, "parts, and at a time", []int64{done.Load(), g.most.Load()}, []int64{2 * 10 * 6 * 2, 3})
	// The parts of the only task wait for each other.
	together.Add(3)
	p.Run(t.Context(), unknown(1), func(ctx context.Context, _ int) error {
		return Each(ctx, 3, func(context.Context, int) error {
			together.Done()
			together.Wait()
			return nil
		})
	})
	check.Equal(t, "all slots are idle", p.slots.TryAcquire(3), true)
}

// The first error ends what it belongs to, and nothing else.
func TestErrors(t *testing.T) {
	bad := errors.New("bad")
	p := NewPool(2)
	var others atomic.Int64
	var group sync.WaitGroup
	group.Go(func() {
		if err := p.Run(t.Context(), unknown(50), func(context.Context, int) error {
			others.Add(1)
			return nil
		}); err != nil {
			t.Errorf("another call: %v", err)
		}
	})
	var begun atomic.Int64
	err := p.Run(t.Context(), unknown(50), func(ctx context.Context, i int) error {
		begun.Add(1)
		return Each(ctx, 4, func(ctx context.Context, k int) error {
			if k == 2 {
				return bad
			}
			return ctx.Err()
		})
	})
	group.Wait()
	if !errors.Is(err, bad) || begun.Load() > 2 || others.Load() != 50 {
		t.Errorf("error %v, %d tasks begun, %d of the others", err, begun.Load(), others.Load())
	}
	for range 1000 { // a slot is free only when all know of the error
		begun.Store(0)
		err = NewPool(1).Run(t.Context(), unknown(3), func(context.Context, int) error {
			begun.Add(1)
			return bad
		})
		if err != bad || begun.Load() != 1 {
			t.Fatalf("error %v, %d tasks begun after it", err, begun.Load()-1)
		}
	}
	err = Each(t.Context(), 8, func(_ context.Context, k int) error { return []error{nil}[k] })
	check.Refuses(t, "a panic", err, "out of range", "pool_test.go")
	// Those tasks come first that take longest, until the end of the context.
	ctx, cancel := context.WithCancel(t.Context())
	var order []int
	err = NewPool(1).Run(ctx, []float64{1, 9, 5, 5}, func(_ context.Context, i int) error {
		if order = append(order, i); len(order) == 3 {
			cancel()
		}
		return nil
	})
	check.Refuses(t, "cancelled in the third", err, "canceled")
	check.Equal(t, "order", order, []int{1, 2, 3})
}

// The time of a task has that of parts in other slots, and not that of other tasks.
func TestMeasure(t *testing.T) {
	const part = 30 * time.Millisecond
	var seconds [2]float64
	err := NewPool(2).Run(t.Context(), []float64{2, 1}, func(ctx context.Context, i int) (err error) {
		seconds[i], err = Measure(ctx, func(ctx context.Context) error {
			if i == 1 {
				busy(part / 3)
				return nil
			}
			return Each(ctx, 4, func(ctx context.Context, _ int) error {
				return Each(ctx, 2, func(context.Context, int) error {
					busy(part)
					return nil
				})
			})
		})
		return err
	})
	if want := 8 * part.Seconds(); err != nil || seconds[0] < want || seconds[0] > 1.5*want ||
		seconds[1] > part.Seconds() {
		t.Errorf("%.3f s, want %.3f to 1.5 times that and less than %.3f; %v", seconds, want, part.Seconds(), err)
	}
}

// What a task leaves to its end counts for its time, and a failure is its error, whatever it returns itself.
func TestEndAndFailure(t *testing.T) {
	wrong := errors.New("wrong")
	seconds, err := Measure(t.Context(), func(ctx context.Context) error {
		AtEnd(ctx, func() float64 { return 100 })
		Fail(ctx, wrong)
		if ctx.Err() == nil {
			t.Error("not cancelled")
		}
		return nil
	})
	if err != wrong || seconds < 100 || seconds > 101 {
		t.Errorf("%g s, %v", seconds, err)
	}
}
