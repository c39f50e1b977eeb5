package laplace

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"closedform/core/random"
)

// clusters draws n examples of a Gaussian cluster for each class, in as many
// dimensions, with centres some standard deviations apart.
func clusters(n, inputs, classes int, apart float64, src rand.Source) (x [][]float64, class []int) {
	rnd := rand.New(src)
	centre := make([][]float64, classes)
	for c := range centre {
		for range inputs {
			centre[c] = append(centre[c], apart*rnd.NormFloat64())
		}
	}
	for range n {
		c := rnd.IntN(classes)
		at := make([]float64, inputs)
		for a := range at {
			at[a] = centre[c][a] + rnd.NormFloat64()
		}
		x, class = append(x, at), append(class, c)
	}
	return x, class
}

// configs are models of all shapes on three inputs and four classes.
func configs() []Config {
	var all []Config
	for _, layers := range [][]int{{3, 4}, {3, 6, 4}, {3, 5, 4, 4}} {
		for _, c := range []Covariance{LastLayer, Full, Diagonal} {
			all = append(all, Config{Layers: layers, Covariance: c, PriorVar: 2, LaplaceVar: 0.5})
		}
	}
	return all
}

func (c Config) name() string { return fmt.Sprint(c.Layers, c.Covariance, c.Predictive) }

func fit(t testing.TB, cfg Config, x [][]float64, class []int) *Model {
	t.Helper()
	m, err := Fit(cfg, x, class, random.Source("laplace", "fit"))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func with(t testing.TB, m *Model, p Predictive) *Model {
	t.Helper()
	view, err := m.With(m.cfg.Covariance, p, m.cfg.LaplaceVar)
	if err != nil {
		t.Fatal(err)
	}
	return view
}

func predict(t testing.TB, m *Model, x []float64) []float64 {
	t.Helper()
	p := make([]float64, m.cfg.classes())
	if err := m.Predict(p, x); err != nil {
		t.Fatal(err)
	}
	return p
}
