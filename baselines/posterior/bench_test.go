package posterior

import (
	"fmt"
	"testing"

	"closedform/core/random"
)

// BenchmarkToy is one point of a stream of the paper's experiment: a posterior
// sample, and its predictive at the examples.
func BenchmarkToy(b *testing.B) {
	x, class := wedges(100, random.Source("bench"))
	for _, sampler := range []Sampler{Importance{}, Hamiltonian{}} {
		b.Run(fmt.Sprintf("%T", sampler), func(b *testing.B) {
			for k := 0; b.Loop(); k++ {
				s := sample(b, sampler, problem(b, Model{Layers: []int{2, 3}}, x, class), "bench", k)
				for _, at := range x {
					predict(b, s, at)
				}
			}
		})
	}
}
