package bnn

import (
	"math/rand/v2"
	"testing"

	"closedform/core/softmax"
	"closedform/internal/check"
)

func BenchmarkObserve(b *testing.B) {
	paper := func(rule OutputRule) spec {
		return spec{Output: rule, OnIndefinite: Skip, PriorMeanVar: 1, Softmax: softmax.Probit{Lambda: 0.2, Rho: 0.5}}
	}
	smooth := func(kinds ...Covariance) spec {
		return spec{Output: ADF, Hidden: Smooth, Covariance: kinds, Bias: true, PriorMeanVar: 1}
	}
	digits, mnist := []int{64, 50, 10}, []int{784, 128, 128, 10}
	for _, c := range []struct {
		name   string
		layers []int
		dense  float64 // share of inputs that are not zero
		cfg    spec
	}{
		{"64-50-10/joint", digits, 1, paper(Joint)},
		{"64-50-10/total", digits, 1, paper(Total)},
		{"64-50-10/adf/full", digits, 1, smooth(Full)},
		{"64-50-10/adf/diagonal", digits, 1, smooth(Diagonal)},
		{"784-128-128-10/adf/diagonal", mnist, 0.19, smooth(Diagonal)},
		{"784-128-128-10/adf/shared above", mnist, 0.19, smooth(Diagonal, Shared, Shared)},
		{"784-100-10/adf/full below", []int{784, 100, 10}, 0.19, smooth(Full, Shared)},
	} {
		b.Run(c.name, func(b *testing.B) {
			c.cfg.Layers = c.layers
			n := newNetwork(c.cfg)
			rnd := rand.New(rand.NewPCG(1, 2))
			inputs := make([][]float64, 64)
			for k := range inputs {
				inputs[k] = make([]float64, c.layers[0])
				for i := range inputs[k] {
					if rnd.Float64() < c.dense {
						inputs[k][i] = rnd.NormFloat64()
					}
				}
			}
			classes := c.layers[len(c.layers)-1]
			k := 0
			b.ReportAllocs()
			for b.Loop() {
				check.Must(n.Observe(inputs[k%64], k*7%classes))
				k++
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "examples/s")
		})
	}
}
