package kalman

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
	check "closedform/internal/checktest"
)

func newModel(cfg Config, layers ...int) *Model {
	return check.Must(New(cfg, layers, random.Source("model")))
}

func TestLearner(t *testing.T) {
	learner := func(cfg Config, layers ...int) {
		check.Online(t, 0.1, func(src rand.Source) (*Model, error) { return New(cfg, layers, src) })
	}
	learner(Config{PriorVar: 10}, 2, 3)
	for _, cfg := range filters() {
		learner(cfg, 2, 8, 3)
	}
}

// Weights returns copies of mean and covariance of all weights.
func (m *Model) Weights() (mean []float64, cov mat.Symmetric) {
	n := len(m.mean)
	p := mat.NewSymDense(n, nil)
	switch r := m.belief.(type) {
	case *full:
		p.SymOuterK(1, mat.NewDense(n, n, r.root))
	case walking:
		p = mat.NewSymDense(n, slices.Clone(r.root))
	case *lowRank:
		for i, v := range r.precision {
			p.SetSym(i, i, v)
		}
		for _, w := range m.columns() {
			p.SymRankOne(p, 1, mat.NewVecDense(n, w))
		}
		var inverse mat.Cholesky
		if !inverse.Factorize(p) || inverse.InverseTo(p) != nil {
			panic("not positive definite")
		}
	case *diagonal:
		p.CopySym(mat.NewDiagDense(n, r.variance))
	case bong:
		p.CopySym(mat.NewDiagDense(n, r.variance))
	}
	return slices.Clone(m.mean), p
}

// columns returns those of W.
func (m *Model) columns() [][]float64 {
	r := m.belief.(*lowRank)
	out := vectors(r.rank, len(m.mean))
	for _, at := range m.rows.neurons {
		for l, n := 0, at.to-at.from; l < r.rank; l++ {
			copy(out[l][at.from:], r.columns(at)[l*n:(l+1)*n])
		}
	}
	return out
}

// Process noise closes the share of the gap to the covariance of the prior that it
// says, and leaves the means.
func TestProcessNoiseClosesTheGap(t *testing.T) {
	const q = 0.03
	for _, kind := range kinds {
		examples := noisePeriod
		if kind == Full {
			examples = 1
		}
		plain := newModel(Config{Covariance: kind}, 3, 4, 3)
		noisy := newModel(Config{Covariance: kind, ProcessNoise: q}, 3, 4, 3)
		_, prior := plain.Weights()
		x, class, _ := check.Clusters(examples, 3, 3, "gap")
		for k := range x {
			check.OK(t, errors.Join(plain.Observe(x[k], class[k]), noisy.Observe(x[k], class[k])))
		}
		mean, before := plain.Weights()
		moved, after := noisy.Weights()
		check.NearAll(t, string(kind)+": means", moved, mean, 1e-12)
		keep := math.Pow(1-q, float64(examples))
		var want, rest mat.Dense
		want.Scale(keep, before)
		rest.Scale(1-keep, prior)
		want.Add(&want, &rest)
		check.NearMatrix(t, string(kind), after, &want, 1e-12)
		if r, ok := noisy.belief.(*lowRank); ok {
			for k, w := range noisy.columns() {
				for l, u := range noisy.columns()[:k+1] {
					check.Near(t, "product of columns", r.gram[k*r.size+l], floats.Dot(w, u), 1e-12)
				}
			}
		}
	}
}

// With the least process noise a filter predicts as without: also the one that keeps the covariance itself, not
// a root of it.
func TestLeastNoise(t *testing.T) {
	for _, kind := range kinds {
		plain := newModel(Config{Covariance: kind}, 3, 4, 3)
		noisy := newModel(Config{Covariance: kind, ProcessNoise: 1e-9}, 3, 4, 3)
		x, class, _ := check.Clusters(100, 3, 3, "agree")
		for k := range x {
			want, got := check.Predict(t, plain, 3, x[k]...), check.Predict(t, noisy, 3, x[k]...)
			check.NearAll(t, string(kind), got, want, 1e-6)
			check.OK(t, errors.Join(plain.Observe(x[k], class[k]), noisy.Observe(x[k], class[k])))
		}
	}
}

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
			for k, input := range x {
				if input[1] = 0; k%7 == 6 {
					floats.Scale(c.scale, input)
				}
				check.OK(t, m.Observe(input, class[k]))
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
