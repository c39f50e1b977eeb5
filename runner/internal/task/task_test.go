package task

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	check "closedform/internal/checktest"
)

// The time of a task includes its end and excludes other tasks. A failure or a panic becomes its error,
// whatever the task returns.
func TestRun(t *testing.T) {
	const part = 30 * time.Millisecond
	var group sync.WaitGroup
	for _, want := range []time.Duration{part, 10 * part} {
		group.Go(func() {
			seconds, err := Run(t.Context(), func(context.Context) error {
				for begin := threadTime(); threadTime()-begin < want; {
				}
				return nil
			})
			check.True(t, err == nil && seconds >= want.Seconds() && seconds <= 1.5*want.Seconds(),
				"%.3f s, want %.3f to 1.5 times that; %v", seconds, want.Seconds(), err)
		})
	}
	group.Wait()
	wrong := errors.New("wrong")
	end, err := Run(t.Context(), func(ctx context.Context) error {
		AtEnd(ctx, func() float64 { return 100 })
		Fail(ctx, wrong)
		check.Refuses(t, "the context", ctx.Err())
		return nil
	})
	check.True(t, err == wrong && end >= 100 && end <= 101, "%g s, %v", end, err)
	panics := func(context.Context) error { return []error{}[1] }
	check.Refuses(t, "a panic", check.Err(Run(t.Context(), panics)), "out of range", "task_test.go")
}
