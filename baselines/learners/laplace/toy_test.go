package laplace

import (
	"fmt"
	"testing"

	"closedform/core/random"
	"closedform/internal/check"
)

func clusters(n int, name string) (x [][]float64, class []int) {
	x, class, _ = check.Clusters(n, 3, 4, name)
	return x, class
}

// configs are models of all shapes on three inputs and four classes.
func configs() []Config {
	var all []Config
	for _, layers := range [][]int{{3, 4}, {3, 6, 4}, {3, 5, 4, 4}} {
		all = append(all, Config{Layers: layers, PriorVar: 8, LaplaceVar: 2})
	}
	return all
}

func (c Config) name() string { return fmt.Sprint(c.Layers, c.Predictive) }

func fit(cfg Config, x [][]float64, class []int) *Model {
	return check.Must(Fit(cfg, x, class, random.Source("laplace", "fit")))
}

func predict(t testing.TB, m *Model, x []float64) []float64 {
	t.Helper()
	return check.Predict(t, m, m.network.Outputs(), x...)
}
