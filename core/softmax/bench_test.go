package softmax_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"closedform/core/softmax"
)

func problem(n int) (mean, variance []float64) {
	rnd := rand.New(rand.NewPCG(1, 2))
	mean, variance = make([]float64, n), make([]float64, n)
	for j := range n {
		mean[j], variance[j] = rnd.NormFloat64(), rnd.ExpFloat64()
	}
	return mean, variance
}

func BenchmarkProbit(b *testing.B) {
	for _, n := range []int{2, 3, 10, 100, 1000} {
		for _, rho := range []float64{0.5, 0.3} {
			b.Run(fmt.Sprintf("n=%d/rho=%g", n, rho), func(b *testing.B) {
				mean, variance := problem(n)
				dst := softmax.NewMoments(n)
				p := softmax.Probit{Lambda: softmax.SlopeLambda(n, rho), Rho: rho}
				b.ReportAllocs()
				for b.Loop() {
					p.Moments(dst, mean, variance)
				}
			})
		}
	}
}
