package study

import (
	"math/rand/v2"
)

// logits are the independent Gaussian logits of one problem.
type logits struct{ mean, variance []float64 }

// drawLogits draws the logits of n classes: means N(0, spread²), variances
// uniform on variance·[1−unequal, 1+unequal].
func drawLogits(n int, spread, variance, unequal float64, rnd *rand.Rand) logits {
	z := logits{make([]float64, n), make([]float64, n)}
	for j := range n {
		z.mean[j] = spread * rnd.NormFloat64()
		z.variance[j] = variance * (1 + unequal*(2*rnd.Float64()-1))
	}
	return z
}
