package bnn

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

// eachKind runs a test for each kind of covariance of all layers.
func eachKind(t *testing.T, test func(t *testing.T, kind []Covariance)) {
	for _, kind := range allKinds {
		t.Run(string(kind), func(t *testing.T) { test(t, []Covariance{kind}) })
	}
}

// Without steps n examples, a whole number of rounds, make Σ₀ + (1 − q)ⁿ(Σ − Σ₀) of each covariance Σ.
func TestNoiseRounds(t *testing.T) {
	eachKind(t, func(t *testing.T, kind []Covariance) {
		for _, c := range []spec{
			{Layers: []int{4, 8, 4, 2}},
			{Layers: []int{1, 9, 6, 2}, Bias: true},
			{Layers: []int{3, 7, 2}, Bias: true},
		} {
			c.Covariance, c.Noise = kind, []float64{1e-3, 2e-3, 5e-4}[:len(c.Layers)-1]
			n := newNetwork(c)
			randomWeights(t, n, rand.New(random.Source("rounds")), 0.3)
			first := copied(n)
			for k := 1; k <= 16*2*3; k++ {
				x := slices.Repeat([]float64{0.3}, c.Layers[0])
				check.OK(t, n.Condition(x, func(d, e []float64, _ Layer) {
					clear(d)
					clear(e)
				}))
				for l, q := range c.Noise {
					_, in := n.cfg.WeightDims(l)
					round := 16 * ((in + 3) / 4)
					if l == len(c.Noise)-1 {
						round /= 2
					}
					if k%round == 0 {
						mean, cov := first.Weights(l)
						keep := math.Pow(1-q, float64(k))
						want := addIdentity(cov, keep, n.cfg.PriorVar[l]*(1-keep))
						checkLayer(t, fmt.Sprint(c.Layers, k), n, l, mean, want, 1e-12)
					}
				}
			}
		}
	})
}

// An example changes the weights as without noise, whose caps the twin has. After every eighth example, in
// hidden layers every sixteenth, rows and columns of four inputs take the step of a round of examples.
func TestNoiseStep(t *testing.T) {
	const q = 1e-3
	eachKind(t, func(t *testing.T, kind []Covariance) {
		for _, c := range []spec{
			{Layers: []int{6, 9, 3}, Bias: true, Hidden: Smooth, PriorVar: 0.6, paper: true},
			{Layers: []int{4, 11, 2}, PriorVar: 0.4, Replications: []float64{3, 1}, paper: true},
		} {
			c.Covariance, c.Noise = kind, []float64{q}
			n, rnd := newNetwork(c), rand.New(random.Source("noise"))
			randomWeights(t, n, rnd, 0.25) // some variances are above the prior's
			for k := 1; k <= 100; k++ {
				s := n.State()
				s.Config.ProcessNoise = []float64{1e-300, 1e-300}
				twin := check.Must(Restore(s))
				x, class := random.Normals(rnd, c.Layers[0]), k%2
				check.Must(n.Observe(x, class))
				check.Must(twin.Observe(x, class))
				for l, every := range []int{16, 8} {
					mean, cov := twin.Weights(l)
					got, _ := n.Weights(l)
					check.NearMatrix(t, "means", got, mean, 0)
					want := addIdentity(cov, 1, 0)
					_, in := n.cfg.WeightDims(l)
					round := (in + 3) / 4
					first, keep := k/every%round*4, math.Pow(1-q, float64(every*round))
					for j := 0; j < len(want) && k%every == 0; j++ {
						s := want[j].(*mat.Dense)
						for i := first; i < min(in, first+4); i++ {
							row, column := s.RowView(i).(*mat.VecDense), s.ColView(i).(*mat.VecDense)
							row.ScaleVec(math.Sqrt(keep), row)
							column.ScaleVec(math.Sqrt(keep), column)
							s.Set(i, i, s.At(i, i)+(1-keep)*n.cfg.PriorVar[l])
						}
					}
					checkLayer(t, fmt.Sprint(c.Layers, k), n, l, mean, want, 1e-12)
				}
			}
		}
	})
}

// With noise a step raises the variance of a logit at most to σ₀²|ŷ|², here 4 σ₀², and leaves what is above.
func TestNoiseLimit(t *testing.T) {
	eachKind(t, func(t *testing.T, kind []Covariance) {
		if kind[0] == Shared {
			return // its steps are the mean of those of the neurons
		}
		for _, c := range []struct {
			noise         []float64
			narrow, after float64
		}{
			{nil, 0.01, 0.02},
			{[]float64{}, 0.01, 0.02},
			{[]float64{0}, 0.01, 0.02},
			{[]float64{1e-3}, 0.01, 0.0125},
			{[]float64{1e-3}, 0.015, 0.015},
		} {
			n := newNetwork(spec{Layers: []int{1, 3}, Covariance: kind, PriorVar: 0.0125, Noise: c.noise})
			var cov []mat.Symmetric
			for _, v := range []float64{100, 100, c.narrow} {
				cov = append(cov, mat.NewDiagDense(1, []float64{v}))
			}
			check.OK(t, n.SetWeights(0, mat.NewDense(3, 1, nil), cov))
			check.Must(n.Observe([]float64{2}, 0))
			_, cov = n.Weights(0)
			check.Near(t, fmt.Sprint("variance with noise ", c.noise), cov[2].At(0, 0), c.after, 1e-12)
		}
	})
}

// However long a stream, all covariances are positive definite, the variances of an input that is always zero
// are at most the prior's, and those of a class that never comes hardly more.
func TestNoiseForever(t *testing.T) {
	eachKind(t, func(t *testing.T, kind []Covariance) {
		c := spec{Layers: []int{3, 2, 3}, Covariance: kind, Bias: true, PriorVar: 4, Noise: []float64{1e-2}}
		n := newNetwork(c)
		rnd, x := rand.New(random.Source("for ever")), make([]float64, 3)
		for k := range 100_000 {
			x[0], x[2] = random.Normal(rnd)+float64(k%2), random.Normal(rnd)+2
			check.Must(n.Observe(x, k%2))
		}
		for l, most := range [][]float64{{1.1, 1 + 1e-12, 1.1, 1.1}, {1.1, 1.1, 1.1}} {
			_, cov := n.Weights(l)
			for j, s := range cov {
				var root mat.Cholesky
				check.True(t, root.Factorize(s), "covariance %d of layer %d is not definite", j, l)
				for i, most := range most {
					ratio := s.At(i, i) / n.cfg.PriorVar[l]
					check.True(t, ratio <= most, "neuron %d of layer %d: %g times the prior variance", j, l, ratio)
				}
			}
		}
	})
}

// Labels that flip are followed with noise, and not without.
func TestNoiseFollows(t *testing.T) {
	eachKind(t, func(t *testing.T, kind []Covariance) {
		const before, after = 5000, 500
		wrong := func(q float64) (count int) {
			n := newNetwork(spec{Layers: []int{2, 2}, Covariance: kind, PriorVar: 100, Noise: []float64{q}})
			rnd := rand.New(random.Source("flip"))
			var p Prediction
			for k := range before + after {
				x, class := random.Normals(rnd, 2), 0
				if (x[0]+x[1]+0.5*random.Normal(rnd) > 0) == (k < before) {
					class = 1
				}
				check.OK(t, n.Predict(&p, x))
				if k >= before && p.Class() != class {
					count++
				}
				check.Must(n.Observe(x, class))
			}
			return count
		}
		with, without := wrong(1e-2), wrong(0)
		check.True(t, with < without/2, "after the flip %d are wrong; %d without noise", with, without)
	})
}
