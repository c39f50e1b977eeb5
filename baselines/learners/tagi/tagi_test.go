package tagi

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
	check "closedform/internal/checktest"
)

func TestLearner(t *testing.T) {
	var last *Model
	check.Online(t, 0.25, func(src rand.Source) (m *Model, err error) {
		last, err = New(Config{SigmaV: 0.3}, []int{2, 12, 8, 3}, src)
		return last, err
	})
	for l := range 3 {
		_, variance := last.Weights(l)
		_, in := variance.Dims()
		prior := 1 / float64(in)
		inside := mat.Min(variance) > 0 && mat.Max(variance) <= prior*(1+1e-15)
		check.True(t, inside, "variances %v in layer %d, prior %g", variance, l, prior)
	}
}

// Whatever is asked is answered with probabilities or with an error, which leaves
// the weights as they were.
func TestExtremes(t *testing.T) {
	for _, prior := range []float64{1e-100, 1e-8, 1e8, 1e100} {
		for _, size := range []float64{0, 1e-300, 1e-150, 1e8, 1e20, 1e150, 1e300} {
			for _, noise := range []float64{1e-100, 1, 1e100} {
				m := newModel(Config{PriorVar: prior, SigmaV: noise}, 2, 3, 3)
				name := fmt.Sprintf("prior %g, size %g, noise %g", prior, size, noise)
				check.Extremes(t, name, m, size, func() (all []float64) {
					for l := range 2 {
						mean, variance := m.Weights(l)
						all = slices.Concat(all, mean.RawMatrix().Data, variance.RawMatrix().Data)
					}
					return all
				})
			}
		}
	}
}

func TestErrors(t *testing.T) {
	check.Keys(t, map[string]Config{
		"sigma_v":        {SigmaV: -1},
		"prior_var":      {PriorVar: -1},
		"prior_mean_var": {PriorMeanVar: math.NaN()},
	})
	check.Refuses(t, "no classes", check.Err(New(Config{}, []int{2}, random.Source("x"))), "layers")
	m := newModel(Config{}, 2, 2)
	check.Refuses(t, "an input of 1e200", m.Predict(make([]float64, 2), []float64{1e200, 0}), "overflows")
	check.Panics(t, "", "", func() { _, _ = New(Config{}, []int{2, 2}, nil) })
}

func newModel(cfg Config, layers ...int) *Model {
	return check.Must(New(cfg, layers, random.Source("model")))
}

// Weights returns copies of the means and variances of layer l, nodes × inputs.
func (m *Model) Weights(l int) (mean, variance *mat.Dense) {
	mean, cov := m.network.Weights(l)
	out, in := mean.Dims()
	variance = mat.NewDense(out, in, nil)
	variance.Apply(func(j, i int, _ float64) float64 { return cov[j].At(i, i) }, variance)
	return mean, variance
}
