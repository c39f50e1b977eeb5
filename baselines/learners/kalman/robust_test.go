package kalman

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
	check "closedform/internal/checktest"
)

var kinds = []Covariance{Full, Diagonal, LowRank, Bong}

// filters are all kinds, without and with process noise.
func filters() (list []Config) {
	for _, kind := range kinds {
		for _, q := range []float64{0, 1e-9, 0.01} {
			list = append(list, Config{Covariance: kind, ProcessNoise: q})
		}
	}
	return list
}

// After ten thousand examples, some of which say far more than others, the
// covariance is positive definite, no combination of weights is less certain than before learning, and those
// of an input without a signal are as they were.
func TestCovarianceStaysPositiveDefinite(t *testing.T) {
	for _, cfg := range filters() {
		for _, c := range []struct {
			layers []int
			prior  float64
			scale  float64 // of every seventh example
		}{{[]int{3, 6, 3}, 1, 3}, {[]int{3, 3}, 10, 1e4}} {
			cfg.PriorVar = c.prior
			m := newModel(cfg, c.layers...)
			_, before := m.Weights()
			x, class, _ := check.Clusters(10000, 3, 3, "long")
			for k, at := range x {
				if at[1] = 0; k%7 == 6 {
					floats.Scale(c.scale, at)
				}
				check.OK(t, m.Observe(at, class[k]))
			}
			_, after := m.Weights()
			var eigen mat.EigenSym
			check.True(t, eigen.Factorize(after, false), "%+v, %v: no eigenvalues", cfg, c.layers)
			values, most := eigen.Values(nil), 0.0
			for i := range m.mean {
				v, prior := after.At(i, i), before.At(i, i)
				most = max(most, prior)
				silent := i%4 == 1 && i < 4*c.layers[1]
				within := v <= prior && !(silent && v < prior*(1-1e-12))
				check.True(t, within, "%+v, %v: variance of weight %d from %g to %g", cfg, c.layers, i, prior, v)
			}
			definite := values[0] > 0 && values[len(values)-1] <= most*(1+1e-9)
			check.True(t, definite, "%+v, %v: variances %g", cfg, c.layers, values)
		}
	}
}

// Whatever is asked is answered with probabilities or with an error, which leaves
// the weights as they were.
func TestExtremes(t *testing.T) {
	for _, cfg := range filters() {
		for _, prior := range []float64{1e-12, 1e-8, 1, 1e8, 1e12} {
			for _, size := range []float64{0, 1e-300, 1e-150, 1e-8, 1e8, 1e20, 1e150, 1e300} {
				cfg.PriorVar = prior
				m := newModel(cfg, 2, 3, 3)
				name := fmt.Sprintf("%+v, size %g", cfg, size)
				check.Extremes(t, name, m, size, func() []float64 { return m.mean })
				// An ordinary input is still answered.
				if size <= 1e8 && prior <= 1e8 {
					check.Predict(t, m, 3, 1, -1)
				}
			}
		}
	}
}

// What overflows is refused, before anything has changed.
func TestOverflowIsRefused(t *testing.T) {
	for _, cfg := range filters() {
		cfg.PriorVar = 1e12
		m := newModel(cfg, 1, 2)
		mean, before := m.Weights()
		check.Equal(t, fmt.Sprintf("%+v", cfg), m.Observe([]float64{1e100}, 0), errOverflow)
		after, cov := m.Weights()
		check.True(t, floats.Equal(after, mean) && mat.Equal(before, cov), "%+v: weights changed", cfg)
		m.mean[0] = 1e10
		check.Refuses(t, string(cfg.Covariance), m.Observe([]float64{1e300}, 0), "logits overflow")
		check.Refuses(t, string(cfg.Covariance), m.Predict(make([]float64, 2), []float64{1e300}), "logits overflow")
	}
}

func TestConfigErrors(t *testing.T) {
	check.Keys(t, map[string]Config{
		"covariance":     {Covariance: "round"},
		"prior_var":      {PriorVar: -1},
		"prior_mean_var": {PriorMeanVar: math.NaN()},
		"rank":           {Rank: 3},
		"process_noise":  {ProcessNoise: 1e-10},
	})
	check.Keys(t, map[string]Config{"rank": {Covariance: LowRank, Rank: 201}})
	check.Refuses(t, "layers without classes", check.Err(New(Config{}, []int{2}, random.Source("x"))))
}
