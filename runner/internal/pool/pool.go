// Package pool shares the processor among all that a run computes: cells of several
// experiments wait in one queue, and a cell may spread its own parts over idle slots.
package pool

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
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
	order    []int     // what is left to begin
	expected []float64 // seconds, by number; nil: these are parts of a task
	running  int       // elsewhere than in the caller
	waiting  bool      // the caller has given its slot away, and gets that of the last part
	ended    chan struct{}
	dropped  bool // some were not begun, as ctx was cancelled

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
	defer b.cancel()
	b.expected = expected
	slices.SortStableFunc(b.order, func(i, k int) int {
		switch {
		case expected[i] > expected[k]:
			return -1
		case expected[i] < expected[k]:
			return 1
		}
		return 0
	})
	p.mu.Lock()
	p.add(b)
	p.mu.Unlock()
	select {
	case <-b.ended:
	case <-b.ctx.Done(): // all slots may be taken by others
		p.mu.Lock()
		p.drop(b)
		if b.running == 0 {
			b.end()
		}
		p.mu.Unlock()
		<-b.ended
	}
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
	defer b.cancel()
	p.mu.Lock()
	p.add(b)
	for i, ok := p.take(b); ok; i, ok = p.take(b) {
		p.mu.Unlock()
		b.call(i)
		p.mu.Lock()
	}
	if b.running > 0 {
		b.waiting = true
		p.release()
		p.mu.Unlock()
		<-b.ended
	} else {
		p.mu.Unlock()
	}
	return b.outcome(ctx)
}

func newBatch(ctx context.Context, n int, do func(ctx context.Context, i int) error) *batch {
	b := &batch{do: do, ended: make(chan struct{})}
	b.ctx, b.cancel = context.WithCancel(ctx)
	for i := range n {
		b.order = append(b.order, i)
	}
	return b
}

// add queues a batch, and has idle slots begin.
func (p *Pool) add(b *batch) {
	p.batches = append(p.batches, b)
	for range min(p.idle, len(b.order)) {
		p.idle--
		go p.work()
	}
}

// release gives a slot up, or has it go on with what waits.
func (p *Pool) release() {
	if len(p.batches) == 0 {
		p.idle++
		return
	}
	go p.work()
}

// work does in a slot what waits in the pool, until nothing does.
func (p *Pool) work() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		b, i := p.next()
		if b == nil {
			p.idle++
			return
		}
		b.running++
		p.mu.Unlock()
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
		b.running--
		if b.running > 0 || len(b.order) > 0 {
			continue
		}
		switch {
		case b.expected != nil:
			b.end()
		case b.waiting: // the slot goes on with the caller
			b.end()
			return
		}
	}
}

// next takes the task that is expected to take longest or, if none waits, a part.
func (p *Pool) next() (of *batch, i int) {
	for {
		of = nil
		for _, b := range p.batches {
			if of == nil || b.expected != nil && (of.expected == nil || b.expected[b.order[0]] > of.expected[of.order[0]]) {
				of = b
			}
		}
		if of == nil {
			return nil, 0
		}
		if i, ok := p.take(of); ok {
			return of, i
		}
		if of.expected != nil && of.running == 0 {
			of.end()
		}
	}
}

// take takes what is next of a batch, unless it is cancelled.
func (p *Pool) take(b *batch) (i int, ok bool) {
	if b.ctx.Err() != nil {
		p.drop(b)
	}
	if len(b.order) == 0 {
		return 0, false
	}
	i, b.order = b.order[0], b.order[1:]
	if len(b.order) == 0 {
		p.drop(b)
	}
	return i, true
}

// drop leaves the rest of a batch.
func (p *Pool) drop(b *batch) {
	b.dropped = b.dropped || len(b.order) > 0
	b.order = nil
	p.batches = slices.DeleteFunc(p.batches, func(other *batch) bool { return other == b })
}

func (b *batch) end() {
	select {
	case <-b.ended:
	default:
		close(b.ended)
	}
}

// call does a task or a part. A panic is kept for the caller.
func (b *batch) call(i int) {
	var err error
	panicked := ""
	func() {
		defer func() {
			if r := recover(); r != nil {
				panicked = fmt.Sprintf("%v\n%s", r, debug.Stack())
			}
		}()
		err = b.do(b.ctx, i)
	}()
	if err != nil || panicked != "" {
		b.once.Do(func() { b.err, b.panicked = err, panicked })
		b.cancel()
	}
}

// outcome returns the error of a batch that has ended, or panics as its task did.
func (b *batch) outcome(ctx context.Context) error {
	switch {
	case b.panicked != "":
		panic(b.panicked)
	case b.err == nil && b.dropped:
		return ctx.Err()
	}
	return b.err
}
