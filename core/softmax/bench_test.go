package softmax

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// problem returns random logits.
func problem(rnd *rand.Rand, n int) (m, v []float64) {
	m, v = make([]float64, n), make([]float64, n)
	for j := range n {
		m[j], v[j] = rnd.NormFloat64(), rnd.ExpFloat64()
	}
	return m, v
}

func BenchmarkMoments(b *testing.B) {
	for _, n := range []int{3, 10, 100, 1000} {
		for name, a := range map[string]Approximation{
			"probit": Probit{SlopeLambda(n, 0.5), 0.5}, "probit-0.3": Probit{SlopeLambda(n, 0.3), 0.3},
			"exact": Exact{}, "exact-fast": Exact{Fast: true},
		} {
			benchmark(b, name, a, n)
		}
	}
	for n := 2; n <= 10; n++ {
		benchmark(b, "probit-corr", ProbitCorr{0.5, unequal(rand.New(rand.NewPCG(29, uint64(n))), n-1)}, n)
	}
}

func benchmark(b *testing.B, name string, a Approximation, n int) {
	m, v := problem(rand.New(rand.NewPCG(1, 2)), n)
	dst, post := NewMoments(n), NewPosterior(n)
	b.Run(fmt.Sprintf("%s/n=%d", name, n), func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			a.Moments(dst, m, v)
		}
	})
	if l, ok := a.(Likelihood); ok && n < 1000 && name != "probit-0.3" {
		b.Run(fmt.Sprintf("posterior-%s/n=%d", name, n), func(b *testing.B) {
			for b.Loop() {
				l.Posterior(post, m, v, 1)
			}
		})
	}
}
