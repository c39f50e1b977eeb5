package bnn

import (
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/internal/check"
)

// Readers of a snapshot go on while the network learns (run with -race), and see
// what it was.
func TestSnapshot(t *testing.T) {
	for kind, cfg := range map[string]Config{
		"full":     {Output: ADF},
		"diagonal": {Output: ADF, Covariance: []Covariance{Diagonal}},
		"joint":    {Output: ADFExact, OutputCovariance: JointNeurons},
	} {
		cfg.Layers, cfg.Bias, cfg.Hidden, cfg.PriorMeanVar = []int{2, 5, 3}, true, Smooth, 1
		n := newNetwork(t, cfg)
		x := []float64{0.3, -0.8}
		var want Prediction
		if err := n.Predict(&want, x); err != nil {
			t.Fatal(err)
		}
		s := n.Snapshot()
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				var got Prediction
				for range 50 {
					if err := s.Predict(&got, x); err != nil || got.P[0] != want.P[0] {
						t.Errorf("%v: snapshot predicts %v, %v; want %v", kind, got.P, err, want.P)
						return
					}
				}
			})
		}
		for k := range 50 {
			if _, err := n.Observe(x, k%3); err != nil {
				t.Fatal(err)
			}
		}
		group.Wait()
		// What a snapshot learns is its own, from its first example on.
		other := n.Snapshot()
		before, _ := n.Weights(1)
		if _, err := other.Observe(x, 2); err != nil {
			t.Fatal(err)
		}
		if after, _ := n.Weights(1); !mat.Equal(before, after) {
			t.Errorf("%v: the first example of a snapshot changes the network", kind)
		}
		// Observe copies once.
		check.NoAllocs(t, kind, func() { n.Observe(x, 0) })
	}
}
