package meanfield

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/softmax"
)

func BenchmarkMoments(b *testing.B) {
	const n = 10
	cases(n, 1, func(mean, variance []float64) {
		for name, m := range methods() {
			b.Run(name, func(b *testing.B) {
				dst, cov, cross := softmax.NewMoments(n), mat.NewSymDense(n, nil), mat.NewDense(n, n, nil)
				b.ReportAllocs()
				for b.Loop() {
					m.Moments(dst, mean, variance)
					m.Cov(cov, mean, variance)
					m.Cross(cross, mean, variance)
				}
			})
		}
	})
}
