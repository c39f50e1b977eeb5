package compare

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"

	"closedform/core/gauss"
)

// studentizedRange returns the 95 % quantile of the range of k independent
// standard normal numbers, whose distribution function is
//
//	P(q) = k ∫ φ(z) (Φ(z) − Φ(z−q))^{k−1} dz
//
// (Tukey's studentized range with infinitely many degrees of freedom).
func studentizedRange(k int) float64 {
	if k < 2 {
		return 0 // A single number has no range.
	}
	cdf := func(q float64) float64 {
		return quad.Fixed(func(z float64) float64 {
			phi := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
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
