package montecarlo

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"closedform/core/random"
	"closedform/core/softmax"
)

// Sampling and the exact integrals know nothing of each other.
func TestSampleAgainstExactMoments(t *testing.T) {
	rnd := rand.New(random.Source("montecarlo", "exact"))
	for k := range 60 {
		n := []int{2, 3, 5, 10}[k%4]
		mean, variance := make([]float64, n), make([]float64, n)
		spread, size := 3*rnd.Float64(), math.Pow(10, 3*rnd.Float64()-2)
		for j := range n {
			mean[j], variance[j] = spread*rnd.NormFloat64(), 2*size*rnd.Float64()
		}
		want := softmax.NewMoments(n)
		softmax.Exact{}.Moments(want, mean, variance)
		e := NewEstimate(n)
		e.Sample(mean, variance, 20000, random.Source("exact", k))
		check := func(name string, got, err, want float64) {
			// Where a rare sample carries the mean, its own error is not known.
			if z := (got - want) / err; want > 1e-3 && !(math.Abs(z) < 5) {
				t.Errorf("case %d: %s = %g ± %g, exact %g", k, name, got, err, want)
			}
		}
		for i, p := range want.P {
			check(fmt.Sprintf("p_%d", i), e.P[i], e.PErr[i], p)
			for j := range i {
				check(fmt.Sprintf("E_%d%d", i, j), e.E.At(i, j), e.EErr.At(i, j), want.E.At(i, j))
			}
		}
	}
}
