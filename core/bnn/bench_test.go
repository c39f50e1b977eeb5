package bnn

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"closedform/core/softmax"
)

func BenchmarkObserve(b *testing.B) {
	paper := func(rule OutputRule) spec {
		return spec{Output: rule, OnIndefinite: Skip, PriorMeanVar: 1, Softmax: softmax.Probit{Lambda: 0.2, Rho: 0.5}}
	}
	smooth := func(kinds ...Covariance) spec {
		return spec{Output: ADF, Hidden: Smooth, Covariance: kinds, Bias: true, PriorMeanVar: 1}
	}
	exact := smooth(Full)
	exact.Output = ADFExact
	small, letters, digits, mnist := []int{2, 3}, []int{16, 50, 26}, []int{64, 50, 10}, []int{784, 128, 128, 10}
	for _, c := range []struct {
		name   string
		layers []int
		dense  float64 // share of inputs that are not zero
		cfg    spec
	}{
		{"2-3/joint", small, 1, paper(Joint)},
		{"2-3/total", small, 1, paper(Total)},
		{"16-50-26/adf", letters, 1, smooth(Full)},
		{"16-50-26/adf-exact", letters, 1, exact},
		{"64-50-10/joint", digits, 1, paper(Joint)},
		{"64-50-10/total", digits, 1, paper(Total)},
		{"64-50-10/adf/full", digits, 1, smooth(Full)},
		{"64-50-10/adf/diagonal", digits, 1, smooth(Diagonal)},
		{"784-128-128-10/adf/diagonal", mnist, 0.19, smooth(Diagonal)},
		{"784-128-128-10/adf/diagonal/dense", mnist, 1, smooth(Diagonal)},
		{"784-128-128-10/adf/shared above", mnist, 0.19, smooth(Diagonal, Shared, Shared)},
		{"784-100-10/adf/full below", []int{784, 100, 10}, 0.19, smooth(Full, Shared)},
	} {
		b.Run(c.name, func(b *testing.B) {
			c.cfg.Layers = c.layers
			n := newNetwork(b, c.cfg)
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
				if _, err := n.Observe(inputs[k%64], k*7%classes); err != nil {
					b.Fatal(err)
				}
				k++
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "examples/s")
		})
	}
}

// Six networks one after another, and at once.
func BenchmarkEnsemble(b *testing.B) {
	for _, atOnce := range []bool{false, true} {
		b.Run(fmt.Sprintf("784-128-128-10/at-once=%v", atOnce), func(b *testing.B) {
			e := ensemble(b, members(b, spec{Layers: []int{784, 128, 128, 10}}, 6)...)
			e.atOnce = atOnce
			rnd := rand.New(rand.NewPCG(1, 2))
			x := make([]float64, 784)
			for k := 0; b.Loop(); k++ {
				for i := range x {
					if x[i] = 0; rnd.Float64() < 0.19 {
						x[i] = rnd.NormFloat64()
					}
				}
				if _, err := e.Observe(x, k*7%10); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Examples one by one, and sixteen at a time.
func BenchmarkPredict(b *testing.B) {
	wide := []Covariance{Diagonal, Shared, Shared}
	for _, c := range []struct {
		name    string
		members int
		cfg     spec
	}{
		{"64-50-10", 1, spec{Layers: []int{64, 50, 10}}},
		{"784-256-256-10", 1, spec{Layers: []int{784, 256, 256, 10}, Covariance: wide}},
		{"784-256-256-10/six", 6, spec{Layers: []int{784, 256, 256, 10}, Covariance: wide}},
		{"784-100-10/full below", 1, spec{Layers: []int{784, 100, 10}, Covariance: []Covariance{Full, Shared}}},
	} {
		e := ensemble(b, members(b, c.cfg, c.members)...)
		e.atOnce = false
		rnd := rand.New(rand.NewPCG(1, 2))
		x := make([][]float64, 16)
		for k := range x {
			x[k] = make([]float64, c.cfg.Layers[0])
			for i := range x[k] {
				if rnd.Float64() < 0.19 {
					x[k][i] = rnd.NormFloat64()
				}
			}
		}
		for _, n := range []int{1, len(x)} {
			b.Run(fmt.Sprintf("%s/at-once=%d", c.name, n), func(b *testing.B) {
				dst := make([]Prediction, n)
				for b.Loop() {
					for first := 0; first < len(x); first += n {
						if _, err := e.PredictAll(dst, x[first:first+n]); err != nil {
							b.Fatal(err)
						}
					}
				}
			})
		}
	}
}
