package bnn

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"closedform/core/softmax"
)

func BenchmarkObserve(b *testing.B) {
	for _, c := range []struct {
		name   string
		layers []int
	}{{"2-3", []int{2, 3}}, {"64-50-10", []int{64, 50, 10}}} {
		for _, rule := range []OutputRule{Joint, Total} {
			b.Run(fmt.Sprintf("%s/%v", c.name, rule), func(b *testing.B) {
				n := newNetwork(b, Config{Layers: c.layers, Output: rule, OnIndefinite: Skip, PriorMeanVar: 1, Softmax: softmax.Probit{Lambda: 0.2, Rho: 0.5}})
				rnd := rand.New(rand.NewPCG(1, 2))
				x := make([]float64, c.layers[0])
				for i := range x {
					x[i] = rnd.NormFloat64()
				}
				classes := c.layers[len(c.layers)-1]
				k := 0
				b.ReportAllocs()
				for b.Loop() {
					x[0] = float64(k%7) - 3
					if _, err := n.Observe(x, k%classes); err != nil {
						b.Fatal(err)
					}
					k++
				}
			})
		}
	}
}
