package posterior

import (
	"math/rand/v2"
	"testing"

	"closedform/core/random"
	"closedform/core/softmax"
	check "closedform/internal/checktest"
)

// The probabilities are those of softmax.Probit without variances.
func TestProbit(t *testing.T) {
	rnd := rand.New(random.Source("probit"))
	for _, n := range []int{2, 3, 4, 10} {
		q, want := newProbit(n), softmax.NewMoments(n)
		z, none := make([]float64, n), make([]float64, n)
		for scale := 0.0; scale < 6; scale++ {
			for j := range z {
				z[j] = scale * rnd.NormFloat64()
			}
			copy(q.z, z)
			q.integrate()
			softmax.Probit{Lambda: softmax.SlopeLambda(n, 0.5), Rho: 0.5}.Moments(want, z, none)
			for j, w := range want.P {
				if w > 1e-7 {
					check.Near(t, "p", q.probability(j)/w, 1, 1e-4)
				}
			}
		}
	}
}
