package dropout

import (
	"math"
	"math/rand/v2"
	"testing"

	"closedform/core/random"
	check "closedform/internal/checktest"
)

func TestLearner(t *testing.T) {
	for _, layers := range [][]int{{2, 3}, {2, 10, 3}, {2, 20, 12, 3}} {
		cfg := Config{Epochs: 40, Step: 0.05, Rate: 0.3}
		check.Learner(t, 0.1, func(x [][]float64, class []int, src rand.Source) (check.Predictor, error) {
			return Fit(cfg, layers, x, class, src)
		})
	}
}

func TestErrors(t *testing.T) {
	fit := func(x [][]float64, class []int) (*Model, error) {
		return Fit(Config{Epochs: 3, Rate: 0.3}, []int{2, 4, 2}, x, class, random.Source("fit"))
	}
	x, class, _ := check.Clusters(30, 2, 2, "extremes")
	m := check.Must(fit(x, class))
	check.Refuses(t, "overflow", m.Predict(make([]float64, 2), []float64{1e308, 1e308}), "logits overflow")
	check.Predict(t, m, 2, 1e8, -1e8)
	huge := [][]float64{{1e308, 1e308}, {-1e308, 1}}
	check.Refuses(t, "a training", check.Err(fit(huge, []int{0, 1})), "diverged")
	check.Predict(t, check.Must(fit(nil, nil)), 2, 1, 1)
	check.Keys(t, map[string]Config{
		"rate": {Rate: 1}, "decay": {Decay: math.NaN()}, "step": {Step: -1}, "epochs": {Epochs: -1},
	})
	check.Refuses(t, "one class", check.Err(Fit(Config{}, []int{1, 1}, nil, nil, random.Source())))
}
