// Package task runs a function as a task: it measures processor time, turns panics into errors, and ends what
// the task has started, such as a program in another language.
package task

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"golang.org/x/sys/unix"
)

type task struct {
	cancel context.CancelCauseFunc
	ends   []func() (seconds float64)
}

type key struct{}

// Run calls do and returns the processor seconds of its goroutine, with those of the functions that it passed
// to [AtEnd]. A panic becomes an error with its stack.
func Run(ctx context.Context, do func(ctx context.Context) error) (seconds float64, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	t := new(task)
	ctx, t.cancel = context.WithCancelCause(ctx)
	begin := threadTime()
	err = func() (err error) {
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
			}
		}()
		return do(context.WithValue(ctx, key{}, t))
	}()
	seconds = (threadTime() - begin).Seconds()
	if cause := context.Cause(ctx); cause != ctx.Err() {
		err = cause
	}
	t.cancel(nil)
	for _, end := range t.ends {
		seconds += end()
	}
	return seconds, err
}

func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic("task: the clock of the thread: " + err.Error())
	}
	return time.Duration(t.Nano())
}

// AtEnd makes the task of ctx call end when the task ends; end returns further processor seconds. Only the
// goroutine of the task may call AtEnd. Outside of a task it does nothing.
func AtEnd(ctx context.Context, end func() (seconds float64)) {
	if t, ok := ctx.Value(key{}).(*task); ok {
		t.ends = append(t.ends, end)
	}
}

// Fail cancels the task of ctx and sets its error; the first call counts. Outside of a task it panics.
func Fail(ctx context.Context, err error) {
	t, ok := ctx.Value(key{}).(*task)
	if !ok {
		panic(err)
	}
	t.cancel(err)
}
