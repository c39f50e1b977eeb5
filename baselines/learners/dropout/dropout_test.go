package dropout

import (
	"math"
	"math/rand/v2"
	"testing"

	"closedform/baselines/learners/mlp"
	"closedform/core/random"
	check "closedform/internal/checktest"
	"closedform/internal/field"
)

func TestLearner(t *testing.T) {
	for _, layers := range [][]int{{2, 3}, {2, 10, 3}, {2, 20, 12, 3}} {
		cfg := Config{Layers: layers, Descent: mlp.Descent{Epochs: 40, Step: 0.05}, Rate: 0.3}
		check.Learner(t, 0.1, func(x [][]float64, class []int, src rand.Source) (check.Predictor, error) {
			return Fit(cfg, x, class, src)
		})
	}
}

func TestOverflows(t *testing.T) {
	check.Overflows(t, func(x [][]float64, class []int) (check.Predictor, error) {
		c := Config{Layers: []int{2, 4, 2}, Descent: mlp.Descent{Epochs: 3}, Rate: 0.3}
		return Fit(c, x, class, random.Source("fit"))
	})
}

func TestConfig(t *testing.T) {
	var got Config
	check.OK(t, field.Resolve(&got))
	if got.Rate != 0.2 || got.Decay != 1e-3 || got.Step != 0.01 || got.Epochs != 100 {
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
