package engine

import (
	"cmp"
	"context"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
)

// Pool has slots, each of which works on one task or part at a time. It is safe for concurrent use.
type Pool struct{ slots *semaphore.Weighted }

// NewPool returns a pool of so many slots.
func NewPool(slots int) *Pool { return &Pool{semaphore.NewWeighted(int64(slots))} }

type poolKey struct{}

// Run calls do with 0 to len(expected)-1, each in a slot: first those expected to take longest, in order
// where times are equal. Several calls of Run take slots in turn. Run returns when all tasks have ended.
// After the first error, which it returns, or if ctx is cancelled, it starts no more and cancels the rest.
func (p *Pool) Run(ctx context.Context, expected []float64, do func(ctx context.Context, i int) error) error {
	var order []int
	for i := range expected {
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(expected[k], expected[i]) })
	group, inner := errgroup.WithContext(context.WithValue(ctx, poolKey{}, p))
	for _, i := range order {
		if err := p.slots.Acquire(inner, 1); err != nil {
			return cmp.Or(group.Wait(), err)
		}
		group.Go(func() error {
			err := do(inner, i)
			p.release(inner, err)
			return err
		})
	}
	return group.Wait()
}

// release frees a slot; after an error only once the group is cancelled, so that no task starts.
func (p *Pool) release(group context.Context, err error) {
	if err == nil {
		p.slots.Release(1)
	} else {
		context.AfterFunc(group, func() { p.slots.Release(1) })
	}
}

// Each calls do with 0 to n-1, for the parts of a task: in the slot of the caller, and in slots that are
// idle while no task waits. It returns when all parts have ended. After the first error, which it returns,
// or when ctx is cancelled, it starts no part and cancels the running ones. A panic is an error with its
// stack. Outside of a task Each uses a pool with a slot for each processor.
func Each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	p, ok := ctx.Value(poolKey{}).(*Pool)
	if !ok {
		p = NewPool(runtime.GOMAXPROCS(0) - 1)
		ctx = context.WithValue(ctx, poolKey{}, p)
	}
	group, inner := errgroup.WithContext(ctx)
	part := func(i int) (seconds float64, err error) {
		return Measure(context.Background(), func(context.Context) error { return do(inner, i) })
	}
	for i := range n {
		if err := inner.Err(); err != nil {
			return cmp.Or(group.Wait(), err)
		}
		if i < n-1 && p.slots.TryAcquire(1) { // the last is the caller's, who would only wait
			group.Go(func() error {
				seconds, err := part(i)
				AtEnd(ctx, func() float64 { return seconds })
				p.release(inner, err)
				return err
			})
		} else if _, err := part(i); err != nil {
			group.Go(func() error { return err }) // the first error counts, and cancels the others
			break
		}
	}
	return group.Wait()
}
