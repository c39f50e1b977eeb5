package main

import (
	"math"
	"math/rand/v2"

	"closedform/core/random"
)

// problem returns the k-th problem of n classes.
func problem(n, k int) (mean, variance []float64) {
	rnd := rand.New(random.Source("performance", "problem", n, k))
	mean, variance = make([]float64, n), make([]float64, n)
	for j := range n {
		mean[j], variance[j] = 2*rnd.NormFloat64(), 2*rnd.Float64()
	}
	return mean, variance
}

// rms returns the root of the mean of count squares with the given sum.
func rms(squares float64, count int) float64 { return math.Sqrt(squares / float64(count)) }
