package sgd

import (
	"math/rand/v2"
	"slices"
	"testing"

	"closedform/core/random"
	check "closedform/internal/checktest"
)

func TestLearner(t *testing.T) {
	for _, cfg := range []Config{{LearningRate: 0.05}, {Rule: Adam, LearningRate: 0.01}} {
		check.Online(t, 0.1, func(src rand.Source) (*Model, error) { return New(cfg, []int{2, 8, 3}, src) })
	}
}

func TestConfig(t *testing.T) {
	check.Keys(t, map[string]Config{"rule": {Rule: "newton"}, "learning_rate": {LearningRate: -1}})
}

// What overflows is refused, and leaves the weights.
func TestOverflow(t *testing.T) {
	m := check.Must(New(Config{}, []int{1, 2}, random.Source("model")))
	m.weights[0] = 1e200
	before := slices.Clone(m.weights)
	check.Refuses(t, "overflow", m.Observe([]float64{1e200}, 0))
	check.Equal(t, "weights", m.weights, before)
}
