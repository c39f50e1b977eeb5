package laplace

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/floats/scalar"

	"closedform/core/random"
	"closedform/internal/check"
)

func TestLearner(t *testing.T) {
	for _, cfg := range []Config{
		{Layers: []int{2, 3}, Predictive: Probit},
		{Layers: []int{2, 3}, Predictive: MonteCarlo},
		{Layers: []int{2, 6, 3}, Predictive: PlugIn},
		{Layers: []int{2, 6, 3}, Predictive: Probit},
		{Layers: []int{2, 5, 4, 3}, Predictive: MonteCarlo},
	} {
		cfg.PriorVar, cfg.LaplaceVar = 10, 1
		check.Learner(t, 0.2, func(x [][]float64, class []int, src rand.Source) (check.Predictor, error) {
			return Fit(cfg, x, class, src)
		})
	}
}

// A prior that is sure of zero weights makes the uniform prediction, as does no
// data; and more data make the logits more certain.
func TestLimits(t *testing.T) {
	x, class := clusters(400, "limits")
	uniform := []float64{0.25, 0.25, 0.25, 0.25}
	for _, cfg := range configs() {
		cfg.PriorVar, cfg.LaplaceVar = 1e-9, 0
		if p := predict(t, fit(cfg, x, class), x[0]); !floats.EqualApprox(p, uniform, 1e-4) {
			t.Errorf("%s: %g with a narrow prior", cfg.name(), p)
		}
		cfg.PriorVar = 4
		if p := predict(t, fit(cfg, nil, nil), x[0]); !floats.EqualApprox(p, uniform, 1e-3) {
			t.Errorf("%s: %g without examples", cfg.name(), p)
		}
		if len(cfg.Layers) > 2 {
			continue
		}
		last := math.Inf(1)
		for _, n := range []int{0, 10, 100, 400} {
			m := fit(cfg, x[:n], class[:n])
			check.OK(t, m.forward(x[0]))
			c := m.logits.cov
			v := c.At(0, 0) + c.At(1, 1) - 2*c.At(0, 1)
			if n == 0 && !scalar.EqualWithinRel(v, 2*(1+floats.Dot(x[0], x[0])), 1e-9) {
				t.Errorf("%s: variance %g of a difference of logits under the prior", cfg.name(), v)
			}
			if !(v < last) {
				t.Errorf("%s: variance %g of a difference of logits after %d examples, %g before", cfg.name(), v, n, last)
			}
			last = v
		}
	}
}

// A LaplaceVar of zero is PriorVar, and it moves no mode.
func TestLaplaceVar(t *testing.T) {
	x, class := clusters(50, "variance")
	cfg := Config{Layers: []int{3, 5, 4}, PriorVar: 3}
	same := fit(cfg, x, class)
	cfg.LaplaceVar = 3
	if p, q := predict(t, same, x[0]), predict(t, fit(cfg, x, class), x[0]); !floats.Equal(p, q) {
		t.Errorf("%v with the default, %v with the same variance", p, q)
	}
	cfg.LaplaceVar = 0.1
	narrow := fit(cfg, x, class)
	if p, q := predict(t, same, x[0]), predict(t, narrow, x[0]); !floats.Equal(same.weights, narrow.weights) || floats.Equal(p, q) {
		t.Errorf("%v, and %v with another variance", p, q)
	}
}

func TestErrors(t *testing.T) {
	check.Keys(t, map[string]Config{
		"prior_var":   {PriorVar: -1},
		"laplace_var": {LaplaceVar: math.Inf(1)},
		"predictive":  {Predictive: "none"},
	})
	check.Refuses(t, "one class", check.Err(Fit(Config{Layers: []int{2, 1}}, nil, nil, random.Source())))
	m := fit(Config{Layers: []int{2, 3}}, [][]float64{{1, 2}}, []int{0})
	p := make([]float64, 3)
	check.Refuses(t, "an infinite covariance", m.Predict(p, []float64{1e200, 1e200}))
	m.cfg.Predictive, m.weights[0] = PlugIn, -1e10
	check.Refuses(t, "a logit of −1e310", m.Predict(p, []float64{1e300, 0}))
}

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
