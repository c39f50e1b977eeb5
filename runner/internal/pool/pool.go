// Package pool shares the processor among all that a run computes: cells of several
// experiments wait in one queue, and a cell may spread its own parts over idle slots.
package pool

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Pool has a number of slots, of which each works on one task or part at a time. It is safe
// for concurrent use.
type Pool struct {
	mu      sync.Mutex
	idle    int      // slots
	batches []*batch // that have something to begin, in the order in which they came
}

// batch is what one call of Run or Each has to do.
type batch struct {
	ctx      context.Context
	cancel   context.CancelFunc
	do       func(ctx context.Context, i int) error
	order    []int          // what is left to begin
	expected []float64      // seconds, by number; nil: these are parts of a task
	running  int            // in slots other than that of the caller
	waiting  bool           // the caller has given its slot away, and gets that of the last part
	left     sync.WaitGroup // of all that have not ended
	dropped  bool           // some were not begun, as ctx was cancelled

	once     sync.Once
	err      error // the first, or
	panicked string
}

// New returns a pool with so many slots.
func New(slots int) *Pool { return &Pool{idle: slots} }

type poolKey struct{}

// Run calls do with 0 to len(expected)-1, each in a slot of the pool: of all tasks that wait
// in the pool the one that is expected to take longest first, of equal ones the first. It
// returns when all have ended. After the first error, which it returns, or when ctx is
// cancelled, it begins no more and cancels those under way.
func (p *Pool) Run(ctx context.Context, expected []float64, do func(ctx context.Context, i int) error) error {
	if len(expected) == 0 {
		return nil
	}
	b := newBatch(context.WithValue(ctx, poolKey{}, p), len(expected), do)
	b.expected = expected
	slices.SortStableFunc(b.order, func(i, k int) int { return cmp.Compare(expected[k], expected[i]) })
	p.mu.Lock()
	p.batches = append(p.batches, b)
	p.begin()
	p.mu.Unlock()
	defer context.AfterFunc(b.ctx, func() { // all slots may be taken by others
		p.mu.Lock()
		defer p.mu.Unlock()
		p.drop(b)
	})()
	return b.outcome(ctx)
}

// Each calls do with 0 to n-1, for the parts of a task: in the slot of the caller, and in those
// that are idle while no task waits. It returns when all have ended. After the first error,
// which it returns, or when ctx is cancelled, it begins no more and cancels those under way.
// Outside of a task it has a pool of its own, with a slot for each processor.
func Each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	p, ok := ctx.Value(poolKey{}).(*Pool)
	if !ok {
		p = New(runtime.GOMAXPROCS(0) - 1)
		ctx = context.WithValue(ctx, poolKey{}, p)
	}
	b := newBatch(ctx, n, do)
	p.mu.Lock()
	p.batches = append(p.batches, b)
	for i, ok := p.take(b); ok; i, ok = p.take(b) {
		p.begin()
		p.mu.Unlock()
		b.call(i)
		b.left.Done()
		p.mu.Lock()
	}
	if b.running > 0 {
		b.waiting = true
		p.idle++
		p.begin()
	}
	p.mu.Unlock()
	return b.outcome(ctx)
}

func newBatch(ctx context.Context, n int, do func(ctx context.Context, i int) error) *batch {
	b := &batch{do: do}
	b.ctx, b.cancel = context.WithCancel(ctx)
	b.left.Add(n)
	for i := range n {
		b.order = append(b.order, i)
	}
	return b
}

// begin has idle slots begin what waits: the task that is expected to take longest or, if none
// waits, a part.
func (p *Pool) begin() {
	next := func(b *batch) float64 {
		if b.expected == nil {
			return math.Inf(-1)
		}
		return b.expected[b.order[0]]
	}
	for p.idle > 0 && len(p.batches) > 0 {
		b := slices.MaxFunc(p.batches, func(a, b *batch) int { return cmp.Compare(next(a), next(b)) })
		if i, ok := p.take(b); ok {
			p.idle--
			b.running++
			go p.work(b, i)
		}
	}
}

// take takes what is next of a batch, unless it is cancelled.
func (p *Pool) take(b *batch) (i int, ok bool) {
	if ok = len(b.order) > 0 && b.ctx.Err() == nil; ok {
		i, b.order = b.order[0], b.order[1:]
	}
	if !ok || len(b.order) == 0 {
		p.drop(b)
	}
	return i, ok
}

// drop leaves the rest of a batch.
func (p *Pool) drop(b *batch) {
	if len(b.order) > 0 {
		b.dropped = true
		b.left.Add(-len(b.order))
		b.order = nil
	}
	p.batches = slices.DeleteFunc(p.batches, func(other *batch) bool { return other == b })
}

// work does a task or a part in a slot, and gives the slot to what waits.
func (p *Pool) work(b *batch, i int) {
	if b.expected != nil {
		b.call(i)
	} else {
		seconds, _ := Measure(context.Background(), func(context.Context) error {
			b.call(i)
			return nil
		})
		addTo(b.ctx, seconds)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if b.running--; b.running > 0 || !b.waiting { // else the slot goes on with the caller
		p.idle++
		p.begin()
	}
	b.left.Done()
}

// call does a task or a part. The first error or panic is kept for the caller, and cancels the others.
func (b *batch) call(i int) {
	fail := func(err error, panicked string) {
		b.once.Do(func() { b.err, b.panicked = err, panicked })
		b.cancel()
	}
	defer func() {
		if r := recover(); r != nil {
			fail(nil, fmt.Sprintf("%v\n%s", r, debug.Stack()))
		}
	}()
	if err := b.do(b.ctx, i); err != nil {
		fail(err, "")
	}
}

// outcome returns the error of a batch when all of it has ended, or panics as its task did.
func (b *batch) outcome(ctx context.Context) error {
	b.left.Wait()
	b.cancel()
	switch {
	case b.panicked != "":
		panic(b.panicked)
	case b.err == nil && b.dropped:
		return ctx.Err()
	}
	return b.err
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
// a thread they are wall time.
func Measure(ctx context.Context, do func(ctx context.Context) error) (seconds float64, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	m := new(meter)
	ctx, m.cancel = context.WithCancelCause(ctx)
	begin := threadTime()
	err = do(context.WithValue(ctx, meterKey{}, m))
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

// addTo adds seconds to the task of the context.
func addTo(ctx context.Context, seconds float64) {
	if m, ok := ctx.Value(meterKey{}).(*meter); ok {
		m.nanoseconds.Add(int64(seconds * float64(time.Second)))
	}
}
