package variational

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"closedform/core/random"
)

func BenchmarkScore(b *testing.B) {
	for _, bound := range []Bound{Bohning, Probit} {
		for _, n := range []int{2, 6, 10} {
			b.Run(fmt.Sprintf("%v/n=%d", bound, n), func(b *testing.B) {
				cfg, err := Config{Inputs: 1, Classes: n, Bound: bound}.withDefaults()
				if err != nil {
					b.Fatal(err)
				}
				like := newLikelihood(cfg)
				rnd := rand.New(random.Source("bench"))
				logit, grad := make([]float64, n), make([]float64, n)
				for j := range logit {
					logit[j] = 4 * rnd.NormFloat64()
				}
				for b.Loop() {
					like.score(grad, logit, 1)
				}
			})
		}
	}
}
