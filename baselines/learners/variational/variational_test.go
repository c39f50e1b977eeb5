package variational

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	check "closedform/internal/checktest"
)

func TestLearner(t *testing.T) {
	cfg := Config{Inputs: 2, Classes: 3, PriorVar: 10}
	check.Learner(t, 0.1, func(x [][]float64, class []int, src rand.Source) (check.Predictor, error) {
		return Fit(cfg, x, class, src)
	})
}

func TestConfig(t *testing.T) {
	check.Keys(t, map[string]Config{"prior_var": {PriorVar: math.NaN()}})
	for want, cfg := range map[string]Config{
		"layers":   {Inputs: 1, Classes: 1},
		"singular": {Inputs: 1, Classes: 2, PriorVar: 1e12},
	} {
		check.Refuses(t, want, check.Err(Fit(cfg, [][]float64{{1e3}, {1e3}}, []int{0, 0}, nil)), want)
	}
	for j, p := range check.Predict(t, check.Must(Fit(Config{Inputs: 2, Classes: 4}, nil, nil, nil)), 4, 3, -1) {
		check.Near(t, fmt.Sprint("without examples, class ", j), p, 0.25, 1e-8)
	}
}
