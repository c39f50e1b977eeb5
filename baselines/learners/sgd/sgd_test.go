package sgd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/diff/fd"

	"closedform/core/random"
	"closedform/internal/check"
)

func newModel(cfg Config) *Model {
	return check.Must(New(cfg, random.Source("model")))
}

func TestLearner(t *testing.T) {
	for _, cfg := range []Config{{LearningRate: 0.05}, {Rule: Momentum, LearningRate: 0.005}, {Rule: Adam, LearningRate: 0.01}} {
		cfg.Layers = []int{2, 8, 3}
		check.Learner(t, 0.1, func(x [][]float64, class []int, src rand.Source) (check.Predictor, error) {
			m, err := New(cfg, src)
			for k := 0; k < len(x) && err == nil; k++ {
				err = m.Observe(x[k], class[k])
			}
			return m, err
		})
	}
}

// The weights move as the rules say, with gradients of the log loss by finite differences.
func TestRules(t *testing.T) {
	for _, rule := range []Rule{SGD, Momentum, Adam} {
		m := newModel(Config{Layers: []int{3, 5, 4, 3}, Rule: rule, LearningRate: 0.02})
		x, class, _ := check.Clusters(6, 3, 3, "rules")
		n := len(m.weights)
		velocity, mean, square := make([]float64, n), make([]float64, n), make([]float64, n)
		for k, at := range x {
			loss := newModel(Config{Layers: []int{3, 5, 4, 3}})
			want := slices.Clone(m.weights)
			gradient := fd.Gradient(nil, func(w []float64) float64 {
				copy(loss.weights, w)
				return -math.Log(check.Predict(t, loss, 3, at...)[class[k]])
			}, want, &fd.Settings{Formula: fd.Central, Step: 1e-5})
			for i, g := range gradient {
				switch rule {
				case SGD:
					want[i] -= 0.02 * g
				case Momentum:
					velocity[i] = 0.9*velocity[i] + g
					want[i] -= 0.02 * velocity[i]
				case Adam:
					steps := float64(k + 1)
					mean[i], square[i] = 0.9*mean[i]+0.1*g, 0.999*square[i]+0.001*g*g
					want[i] -= 0.02 * mean[i] / (1 - math.Pow(0.9, steps)) / (math.Sqrt(square[i]/(1-math.Pow(0.999, steps))) + 1e-8)
				}
			}
			check.OK(t, m.Observe(at, class[k]))
			for i := range want {
				if rule == Adam && math.Abs(gradient[i]) < 1e-5 {
					want[i] = m.weights[i] // which divides by next to nothing
				}
			}
			check.NearAll(t, fmt.Sprintf("rule %s, step %d", rule, k), m.weights, want, 1e-6)
		}
	}
}

func TestConfig(t *testing.T) {
	check.Keys(t, map[string]Config{"rule": {Rule: "newton"}, "learning_rate": {LearningRate: -1}})
	for _, rule := range []Rule{SGD, Momentum, Adam} {
		m := newModel(Config{Layers: []int{2, 4, 3}, Rule: rule})
		check.NoAllocs(t, "Observe", func() { _ = m.Observe([]float64{1, -2}, 1) })
	}
}

// What overflows is refused, and leaves the weights.
func TestOverflow(t *testing.T) {
	m := newModel(Config{Layers: []int{1, 2}})
	m.weights[0] = 1e200
	before := slices.Clone(m.weights)
	if err := m.Observe([]float64{1e200}, 0); err == nil || !slices.Equal(before, m.weights) {
		t.Errorf("error %v, weights %v", err, m.weights)
	}
}

func BenchmarkObserve(b *testing.B) {
	for _, rule := range []Rule{SGD, Momentum, Adam} {
		b.Run(fmt.Sprint(rule), func(b *testing.B) {
			m := newModel(Config{Layers: []int{784, 128, 128, 10}, Rule: rule})
			x, class, _ := check.Clusters(1, 784, 10, "bench")
			for b.Loop() {
				check.OK(b, m.Observe(x[0], class[0]))
			}
		})
	}
}
