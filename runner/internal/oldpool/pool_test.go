package pool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

func names(n int) []string {
	s := make([]string, n)
	for i := range s {
		s[i] = fmt.Sprintf("c%d", i)
	}
	return s
}

// recorder is a Progress that remembers; being without a lock it lets the race
// detector see calls that overlap.
type recorder struct{ total, done, stops int }

func (r *recorder) Start(total int) { r.total = total }
func (r *recorder) Done()           { r.done++ }
func (r *recorder) Stop()           { r.stops++ }

func TestRunCallsEachOnceInOrder(t *testing.T) {
	for _, workers := range []int{1, 3, 100} {
		const n = 40
		var mu sync.Mutex
		var order []int
		var active, most atomic.Int64
		p := new(recorder)
		err := Run(context.Background(), workers, names(n), func(_ context.Context, i int) error {
			a := active.Add(1)
			defer active.Add(-1)
			for m := most.Load(); a > m && !most.CompareAndSwap(m, a); m = most.Load() {
			}
			mu.Lock()
			defer mu.Unlock()
			order = append(order, i)
			return nil
		}, p)
		if err != nil {
			t.Fatalf("%d workers: %v", workers, err)
		}
		if workers == 1 && !slices.IsSorted(order) {
			t.Errorf("one worker ran the cells in the order %v", order)
		}
		slices.Sort(order)
		if len(order) != n || len(slices.Compact(order)) != n {
			t.Errorf("%d workers: ran %v, want each of %d cells once", workers, order, n)
		}
		if most.Load() > int64(workers) {
			t.Errorf("%d workers: %d cells at a time", workers, most.Load())
		}
		if *p != (recorder{n, n, 1}) {
			t.Errorf("%d workers: progress saw %+v", workers, *p)
		}
	}
}

func TestRunUsesAllWorkers(t *testing.T) {
	// Four cells that wait for each other end only if they run together.
	var together sync.WaitGroup
	together.Add(4)
	err := Run(context.Background(), 4, names(4), func(context.Context, int) error {
		together.Done()
		together.Wait()
		return nil
	}, new(recorder))
	if err != nil {
		t.Fatal(err)
	}
}

func TestRunStopsAtFirstError(t *testing.T) {
	bad := errors.New("no convergence")
	var ran [1000]bool
	underWay := make(chan struct{})
	ended := false
	p := new(recorder)
	err := Run(context.Background(), 2, names(len(ran)), func(ctx context.Context, i int) error {
		ran[i] = true
		switch i {
		case 2:
			<-underWay
			return bad
		case 3:
			close(underWay)
			<-ctx.Done() // it is told to stop
			ended = true
		}
		return nil
	}, p)
	if !errors.Is(err, bad) || err.Error() != "cell c2: no convergence" {
		t.Errorf("error %v, want that of cell c2", err)
	}
	if !ended {
		t.Error("the cell under way was not waited for")
	}
	for i, r := range ran {
		if r != (i <= 3) {
			t.Errorf("cell %d: ran is %v", i, r)
		}
	}
	if p.stops != 1 {
		t.Error("progress was not stopped")
	}
}

func TestRunCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p := new(recorder)
	err := Run(ctx, 1, names(10), func(_ context.Context, i int) error {
		if i == 4 {
			cancel()
		}
		return nil // the cell under way ends well
	}, p)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	if p.done != 5 || p.stops != 1 {
		t.Errorf("progress saw %+v, want 5 cells done and a stop", *p)
	}

	// A cancellation that comes when all is done has not kept anything.
	ctx, cancel = context.WithCancel(context.Background())
	defer cancel()
	err = Run(ctx, 1, names(3), func(_ context.Context, i int) error {
		if i == 2 {
			cancel()
		}
		return nil
	}, new(recorder))
	if err != nil {
		t.Errorf("error %v although all cells were run", err)
	}
}

func explode() { panic("index out of nowhere") }

func TestRunPanicBecomesError(t *testing.T) {
	err := Run(context.Background(), 2, names(3), func(_ context.Context, i int) error {
		if i == 1 {
			explode()
		}
		return nil
	}, new(recorder))
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"cell c1: panic: index out of nowhere\n", "pool.explode"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not contain %q", err, want)
		}
	}
}

func TestRunNoWorkersPanics(t *testing.T) {
	defer func() {
		if recover() != "pool: 0 workers" {
			t.Error("want a panic")
		}
	}()
	Run(context.Background(), 0, nil, nil, new(recorder))
}
