package dropout

import (
	"math"
	"math/rand/v2"
	"testing"

	"closedform/baselines/learners/mlp"
	"closedform/core/random"
	"closedform/internal/check"
)

func fit(cfg Config, x [][]float64, class []int) *Model {
	return check.Must(Fit(cfg, x, class, random.Source("fit")))
}

func TestLearner(t *testing.T) {
	for _, layers := range [][]int{{2, 3}, {2, 10, 3}, {2, 20, 12, 3}} {
		cfg := Config{Layers: layers, Descent: mlp.Descent{Epochs: 40, Step: 0.05}, Rate: 0.3}
		check.Learner(t, 0.1, func(x [][]float64, class []int, src rand.Source) (check.Predictor, error) {
			return Fit(cfg, x, class, src)
		})
	}
}

func TestExtremes(t *testing.T) {
	x, class, _ := check.Clusters(30, 2, 2, "extremes")
	cfg := Config{Layers: []int{2, 4, 2}, Descent: mlp.Descent{Epochs: 3}, Rate: 0.3}
	m := fit(cfg, x, class)
	check.Refuses(t, "logits that overflow", m.Predict(make([]float64, 2), []float64{1e308, 1e308}))
	check.Predict(t, m, 2, 1e8, -1e8)
	check.Refuses(t, "a training that overflows", check.Err(Fit(cfg, [][]float64{{1e308, 1e308}, {-1e308, 1}}, []int{0, 1}, random.Source("far"))))
	check.Predict(t, fit(cfg, nil, nil), 2, 1, 1)
}

func TestConfig(t *testing.T) {
	if got := (Config{}).WithDefaults(); got.Rate != 0.2 || got.Decay != 1e-3 || got.Step != 0.01 || got.Epochs != 100 {
		t.Errorf("defaults %+v", got)
	}
	check.Keys(t, map[string]Config{
		"rate":   {Rate: 1},
		"decay":  {Decay: math.NaN()},
		"step":   {Descent: mlp.Descent{Step: -1}},
		"epochs": {Descent: mlp.Descent{Epochs: -1}},
	})
	check.Refuses(t, "one class", check.Err(Fit(Config{Layers: []int{1, 1}}, nil, nil, random.Source())))
}
