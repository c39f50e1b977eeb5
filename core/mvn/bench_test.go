package mvn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func BenchmarkCDF(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	run := func(name string, corr *mat.SymDense) {
		x := normals(rnd, corr.SymmetricDim(), 1)
		b.Run(fmt.Sprintf("%s/d=%d", name, len(x)), func(b *testing.B) {
			for b.Loop() {
				CDF(x, corr)
			}
		})
	}
	for _, d := range []int{2, 3, 4, 5, 9, 30} {
		run("general", wishart(rnd, d, d+2))
	}
	run("factor", filled(30, func(i, j int) float64 { return 0.5 }))
	run("chain", filled(30, func(i, j int) float64 { return math.Pow(0.7, float64(i-j)) }))
}
