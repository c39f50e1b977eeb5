package bnn

import (
	"math/rand/v2"
	"testing"

	"closedform/core/random"
	"closedform/internal/check"
)

// postponing returns a copy of a network whose first layer defers its steps.
func postponing(t testing.TB, n *Network) *Network {
	t.Helper()
	c := copied(t, n)
	in, out := n.cfg.Layers[0], n.cfg.Layers[1]
	if n.cfg.Bias {
		in++
	}
	state := n.State()
	w := newDeferred(in, out)
	w.SetMean(state.Layers[0].Mean)
	w.restore(state.Layers[0])
	c.layers[0] = w
	return c
}

// A layer that defers its steps learns and predicts what it does without, whatever is
// asked of it between them.
func TestDeferred(t *testing.T) {
	for _, cfg := range []Config{
		{Layers: []int{13, 5, 3}, Bias: true, Covariance: Covariances{Full}, Replications: []float64{3, 1}},
		{Layers: []int{103, 3}, Covariance: Covariances{Full}},
		{Layers: []int{9, 4, 3}, Covariance: Covariances{Full}, Hidden: Frozen},
	} {
		plain := members(t, cfg, 1)[0]
		n := postponing(t, plain)
		rnd := rand.New(random.Source("deferred"))
		x := make([]float64, cfg.Layers[0])
		var p, q Prediction
		for k := range 5*mostSteps + 3 {
			for i := range x {
				if x[i] = max(0, rnd.NormFloat64()); i > 10 && i < 70 {
					x[i] = 0 // a long gap
				}
			}
			class := 0
			if x[0] > x[1] {
				class = 1 + k%2
			}
			predict(t, plain, &p, x)
			predict(t, n, &q, x)
			check.NearAll(t, "p", q.P, p.P, 1e-12)
			check.NearAll(t, "variances", q.Variance, p.Variance, 1e-12*p.Variance[0])
			if u, v := observe(t, plain, x, class), observe(t, n, x, class); u.Action != v.Action {
				t.Errorf("step %d: %v and %v", k, u.Action, v.Action)
			}
			if k == mostSteps+2 {
				for _, m := range []*Network{plain, n} {
					if err := m.AddProcessNoise(0.01); err != nil {
						t.Fatal(err)
					}
				}
			}
			if k%7 == 5 {
				sameWeights(t, "between steps", n, plain, 1e-12)
			}
		}
		sameWeights(t, "deferred", n, plain, 1e-12)
	}
}

// Large layers for certain inputs defer their steps, and do so without allocating.
func TestDeferredLarge(t *testing.T) {
	n := members(t, Config{Layers: []int{784, 28, 3}, Covariance: Covariances{Full, Shared}}, 1)[0]
	if _, ok := n.layers[0].(*deferred); !ok {
		t.Fatalf("the first layer is a %T", n.layers[0])
	}
	x := make([]float64, 784)
	for i := range x {
		x[i] = float64(i % 5)
	}
	check.NoAllocs(t, "a step", func() { _, _ = n.Observe(x, 1) })
}
