// Package pool shares the processor among all that a run computes: cells of several
// experiments wait in one queue, and a cell may spread its own parts over idle slots.
package pool

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
)

// Pool has a number of slots, of which each works on one task or part at a time. It is safe
// for concurrent use.
type Pool struct{ slots *semaphore.Weighted }

// New returns a pool with so many slots.
func New(slots int) *Pool { return &Pool{semaphore.NewWeighted(int64(slots))} }

type poolKey struct{}

// Run calls do with 0 to len(expected)-1, each in a slot of the pool: those first that are
// expected to take longest, of equal ones the first. Several calls take slots in turn. It
// returns when all have ended. After the first error, which it returns, or when ctx is
// cancelled, it begins no more and cancels those under way.
func (p *Pool) Run(ctx context.Context, expected []float64, do func(ctx context.Context, i int) error) error {
	order := make([]int, len(expected))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(expected[k], expected[i]) })
	group, inner := errgroup.WithContext(context.WithValue(ctx, poolKey{}, p))
	var cancelled error
	for _, i := range order {
		if cancelled = p.slots.Acquire(inner, 1); cancelled != nil {
			break
		}
		group.Go(func() error {
			err := do(inner, i)
			p.release(inner, err)
			return err
		})
	}
	return cmp.Or(group.Wait(), cancelled)
}

// release frees the slot of what ended with err: after an error not before group, whose error
// cancels it, is cancelled, such that nobody begins in it.
func (p *Pool) release(group context.Context, err error) {
	if err == nil {
		p.slots.Release(1)
	} else {
		context.AfterFunc(group, func() { p.slots.Release(1) })
	}
}

// Each calls do with 0 to n-1, for the parts of a task: in the slot of the caller, and in those
// that are idle while no task waits. It returns when all have ended. After the first error,
// which it returns, or when ctx is cancelled, it begins no more and cancels those under way.
// A panic is an error with its stack. Outside of a task Each has a pool of its own, with a slot for
// each processor.
func Each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	p, ok := ctx.Value(poolKey{}).(*Pool)
	if !ok {
		p = New(runtime.GOMAXPROCS(0) - 1)
		ctx = context.WithValue(ctx, poolKey{}, p)
	}
	group, inner := errgroup.WithContext(ctx)
	part := func(i int) (seconds float64, err error) {
		return Measure(context.Background(), func(context.Context) error { return do(inner, i) })
	}
	var cancelled error
	for i := range n {
		if cancelled = inner.Err(); cancelled != nil {
			break
		}
		if i < n-1 && p.slots.TryAcquire(1) { // the last is the caller's, who would only wait
			group.Go(func() error {
				seconds, err := part(i)
				if m, ok := ctx.Value(meterKey{}).(*meter); ok {
					m.nanoseconds.Add(int64(seconds * float64(time.Second)))
				}
				p.release(inner, err)
				return err
			})
		} else if _, err := part(i); err != nil {
			group.Go(func() error { return err }) // the first counts, and cancels the others
			break
		}
	}
	return cmp.Or(group.Wait(), cancelled)
}

// meter counts the time of a task that its own thread does not have, and has what else ends with it.
type meter struct {
	nanoseconds atomic.Int64 // of the parts that other slots did
	cancel      context.CancelCauseFunc

	mu   sync.Mutex
	ends []func() (seconds float64)
}

type meterKey struct{}

// Measure calls do and returns the processor seconds that it took, with those of the parts that
// it gives to [Each] and of what it has registered by [AtEnd]. Where the system does not tell the time of
// a thread they are wall time. A panic is an error with its stack.
func Measure(ctx context.Context, do func(ctx context.Context) error) (seconds float64, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	m := new(meter)
	ctx, m.cancel = context.WithCancelCause(ctx)
	begin := threadTime()
	err = func() (err error) {
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
			}
		}()
		return do(context.WithValue(ctx, meterKey{}, m))
	}()
	seconds = (threadTime() - begin + time.Duration(m.nanoseconds.Load())).Seconds()
	if cause := context.Cause(ctx); cause != ctx.Err() {
		err = cause
	}
	m.cancel(nil)
	for _, end := range m.ends {
		seconds += end()
	}
	return seconds, err
}

// AtEnd has the task of the context call end when it has ended. What end returns are further
// processor seconds of the task, such as those of another process.
func AtEnd(ctx context.Context, end func() (seconds float64)) {
	if m, ok := ctx.Value(meterKey{}).(*meter); ok {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.ends = append(m.ends, end)
	}
}

// Fail cancels the task of the context, which then has this error whatever it returns. The first
// error counts. Outside of a task Fail panics.
func Fail(ctx context.Context, err error) {
	m, ok := ctx.Value(meterKey{}).(*meter)
	if !ok {
		panic(err)
	}
	m.cancel(err)
}
