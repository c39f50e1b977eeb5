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

// An example changes the weights as without noise, whose caps the twin has. After every eighth example, in
// hidden layers every sixteenth, rows and columns of four inputs take the step of a round of examples, by which
// a covariance Σ becomes Σ₀ + (1 − q)ⁿ(Σ − Σ₀) after a round of n.
func TestNoiseStep(t *testing.T) {
	eachKind(t, func(t *testing.T, kind []Covariance) {
		for _, c := range []spec{
			{Layers: []int{6, 9, 3}, Bias: true, Hidden: Smooth, PriorVar: 0.6, paper: true},
			{Layers: []int{4, 11, 2}, PriorVar: 0.4, Replications: []float64{3, 1}, paper: true},
			{Layers: []int{1, 9, 6, 2}, Bias: true},
		} {
			c.Covariance, c.Noise = kind, []float64{1e-3, 2e-3, 5e-4}[:len(c.Layers)-1]
			n, rnd := newNetwork(c), rand.New(random.Source("noise"))
			randomWeights(t, n, rnd, 0.25) // some variances are above the prior's
			for k := 1; k <= 100; k++ {
				s := n.State()
				s.Config.ProcessNoise = slices.Repeat([]float64{1e-300}, len(c.Noise))
				twin := check.Must(Restore(s))
				x, class := random.Normals(rnd, c.Layers[0]), k%2
				check.Must(n.Observe(x, class))
				check.Must(twin.Observe(x, class))
				for l, q := range c.Noise {
					every := 16
					if l == len(c.Noise)-1 {
						every = 8
					}
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
