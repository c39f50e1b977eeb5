package metric

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"

	"closedform/core/gauss"
	"closedform/internal/kernel"
)

// Ranks returns the ranks of numbers from 1, the least; those that are equal but for
// rounding have their mean rank, and one that is not a number the last.
func Ranks(x []float64) []float64 {
	const rounding = 1e-9
	r := make([]float64, len(x))
	for i, a := range x {
		var below, equal float64
		for _, b := range x {
			switch {
			case a == b, math.Abs(a-b) <= rounding*min(math.Abs(a), math.Abs(b)), math.IsNaN(a) && math.IsNaN(b):
				equal++
			case b < a, math.IsNaN(a):
				below++
			}
		}
		r[i] = below + (equal+1)/2
	}
	return r
}

// StudentizedRange returns the 95 % quantile of the range of k independent
// standard normal numbers, whose distribution function is
//
//	P(q) = k ∫ φ(z) (Φ(z) − Φ(z−q))^{k−1} dz
//
// (Tukey's studentized range with infinitely many degrees of freedom).
func StudentizedRange(k int) float64 {
	if k < 2 {
		return 0 // A single number has no range.
	}
	cdf := func(q float64) float64 {
		return quad.Fixed(func(z float64) float64 {
			phi := kernel.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
			return float64(k) * phi * math.Pow(gauss.CDF(z)-gauss.CDF(z-q), float64(k-1))
		}, -9, 9, 200, nil, 0)
	}
	low, high := 0.0, 20.0
	for range 60 {
		middle := (low + high) / 2
		if cdf(middle) < 0.95 {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}
