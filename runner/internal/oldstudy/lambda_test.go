package study

import (
	"sync"
	"sync/atomic"
	"testing"

	"closedform/core/softmax"
	"closedform/runner/internal/manifest"
)

func TestLambdaValue(t *testing.T) {
	const n, rho = 3, 0.25
	for _, c := range []struct {
		l    manifest.Lambda
		want float64
	}{
		{manifest.Lambda{Number: 0.3}, 0.3},
		{manifest.Lambda{Word: "slope"}, softmax.SlopeLambda(n, rho)},
		{manifest.Lambda{Word: "lsq"}, softmax.LeastSquaresLambda(n, rho)},
		{manifest.Lambda{Word: "minimax"}, softmax.MinimaxLambda(n, rho)},
	} {
		for range 2 {
			if got := lambdaValue(c.l, n, rho); got != c.want {
				t.Errorf("%v: %v, want %v", c.l, got, c.want)
			}
		}
	}
	defer func() {
		if got := recover(); got != "study: no λ for the word steep" {
			t.Errorf("panic %v", got)
		}
	}()
	lambdaValue(manifest.Lambda{Word: "steep"}, n, rho)
}

// A fit is computed once, also by many goroutines at a time, and two that
// differ in anything are two.
func TestFitted(t *testing.T) {
	var calls atomic.Int64
	compute := func(n int, rho float64) float64 {
		calls.Add(1)
		return float64(n) + rho
	}
	all := []fit{{"test", 2, 0.5}, {"test", 3, 0.5}, {"test", 2, 0.25}, {"other test", 2, 0.5}}
	var group sync.WaitGroup
	for range 8 {
		for _, f := range all {
			group.Go(func() {
				if got, want := fitted(f, compute), float64(f.n)+f.rho; got != want {
					t.Errorf("%v: %v, want %v", f, got, want)
				}
			})
		}
	}
	group.Wait()
	if got := calls.Load(); got != int64(len(all)) {
		t.Errorf("%d fits, want %d", got, len(all))
	}
}
