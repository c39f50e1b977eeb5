package meanfield

import (
	"fmt"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/softmax"
)

func BenchmarkMoments(b *testing.B) {
	for _, n := range []int{3, 10, 100} {
		var mean, variance []float64
		cases(n, 1, func(m, v []float64) { mean, variance = m, v })
		all := methods(n)
		names := make([]string, 0, len(all))
		for name := range all {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			b.Run(fmt.Sprintf("%s/n=%d", name, n), func(b *testing.B) {
				dst, cov, cross := softmax.NewMoments(n), mat.NewSymDense(n, nil), mat.NewDense(n, n, nil)
				b.ReportAllocs()
				for b.Loop() {
					all[name].Moments(dst, mean, variance)
					all[name].Cov(cov, mean, variance)
					all[name].Cross(cross, mean, variance)
				}
			})
		}
	}
}
