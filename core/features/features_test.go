package features

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func BenchmarkApply(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, 784)
	for i := range x {
		x[i] = rnd.Float64()
	}
	for _, kind := range []Kind{Relu, Conv} {
		for _, size := range []int{512, 2048} {
			b.Run(fmt.Sprint(kind, "-", size), func(b *testing.B) {
				m, err := New(kind, len(x), size, 1)
				if err != nil {
					b.Fatal(err)
				}
				dst := make([]float64, size)
				for b.Loop() {
					m.Apply(dst, x)
				}
			})
		}
	}
}
