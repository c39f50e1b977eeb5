package pool

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

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
