package mixture

import (
	"math/rand/v2"
	"slices"
	"testing"

	"closedform/core/bnn"
	"closedform/core/features"
	"closedform/core/random"
	"closedform/core/readout"
	check "closedform/internal/checktest"
)

// A snapshot of a short stream predicts as well after classes in an order as in a random one: it learns the
// kept examples again, here all of them. The mixture itself goes on as if there were no snapshot.
func TestRelearn(t *testing.T) {
	const n = 120
	wrong := func(order func(x [][]float64, class []int) []int) (wrong int, s *Snapshot) {
		x, class, _ := check.Clusters(2*n, 3, 3, "relearn")
		var members []bnn.Model
		for k, hidden := range []int{8, 5} {
			cfg := bnn.Default(3, hidden, 3)
			if k == 1 {
				cfg.ProcessNoise = []float64{0, 0.001}
			}
			members = append(members, check.Must(bnn.New(cfg, random.Source("relearn", k))))
		}
		m := check.Must(features.New(features.Relu, 3, 20, 1))
		layer := check.Must(readout.New(readout.Config{Kind: readout.Ridge, Inputs: 20, Classes: 3, Sequential: true}))
		mixture := check.Must(New(append(members, features.Model{Map: m, Model: layer})...))
		for _, i := range order(x[:n], class[:n]) {
			check.Must(mixture.Observe(x[i], class[i]))
		}
		before := mixture.State()
		s = mixture.Snapshot().(*Snapshot)
		var p bnn.Prediction
		for i := n; i < 2*n; i++ {
			check.OK(t, s.Predict(&p, x[i]))
			if p.Class() != class[i] {
				wrong++
			}
		}
		check.Equal(t, "the mixture", mixture.State(), before)
		return wrong, s
	}
	shuffled, s := wrong(func(x [][]float64, _ []int) []int { return rand.New(random.Source("order")).Perm(n) })
	check.True(t, !s.Ordered(), "a random order is none")
	sorted, s := wrong(func(_ [][]float64, class []int) []int {
		order := rand.New(random.Source("order")).Perm(n)
		slices.SortStableFunc(order, func(a, b int) int { return class[a] - class[b] })
		return order
	})
	check.True(t, s.Ordered(), "an order")
	check.True(t, sorted <= shuffled+n/20, "of %d examples %d are wrong, and %d after a sorted stream", n, shuffled, sorted)
}
