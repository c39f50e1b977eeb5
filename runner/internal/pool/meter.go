package pool

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"
)

// meter counts the time of the parts of a task that other slots did.
type meter struct{ nanoseconds atomic.Int64 }

type meterKey struct{}

// Measure calls do and returns the processor seconds that it took, with those of the parts that
// it gives to [Each]. Where the system does not tell the time of a thread they are wall time.
func Measure(ctx context.Context, do func(ctx context.Context) error) (seconds float64, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	m := new(meter)
	begin := threadTime()
	err = do(context.WithValue(ctx, meterKey{}, m))
	own := threadTime() - begin
	return (own + time.Duration(m.nanoseconds.Load())).Seconds(), err
}

// addTo adds seconds to the task of the context.
func addTo(ctx context.Context, seconds float64) {
	if m, ok := ctx.Value(meterKey{}).(*meter); ok {
		m.nanoseconds.Add(int64(seconds * float64(time.Second)))
	}
}
