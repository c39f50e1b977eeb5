package mvn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func BenchmarkDistribution(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	run := func(name string, corr *mat.SymDense) {
		d := corr.SymmetricDim()
		x, dst := normals(rnd, d, 1), make([]float64, d)
		b.Run(fmt.Sprintf("CDF/%s/d=%d", name, d), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				CDF(x, corr)
			}
		})
		if d <= 5 {
			b.Run(fmt.Sprintf("Gradient/%s/d=%d", name, d), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					Gradient(dst, x, corr)
				}
			})
		}
	}
	for _, r := range []float64{0.2, 0.85, -0.94, 0.99} {
		run(fmt.Sprintf("r=%g", r), symmetric(2, []float64{r}))
	}
	for _, d := range []int{3, 4, 5, 10, 30, 100} {
		run("general", wishart(rnd, d, d+2))
	}
	for _, d := range []int{5, 10, 30} {
		run("factor", filled(d, func(i, j int) float64 { return 0.5 }))
		run("chain", filled(d, func(i, j int) float64 { return math.Pow(0.7, float64(i-j)) }))
	}
}
