package metric

import (
	"math"
	"slices"

	"closedform/core/gauss"
	"closedform/internal/kernel"
)

// NormalTail returns z with Φ(−z) = p < ½, by Newton's method for log p.
func NormalTail(p float64) (z float64) {
	for range 50 {
		z += (gauss.LogCDF(-z) - kernel.Log(p)) / gauss.InverseMills(-z)
	}
	return z
}

// Kolmogorov returns the largest distance of the distribution function of independent x from Φ, and the
// probability of one at least as large if they are normal: Kolmogorov's limit with the correction of
// Stephens (1970) for finite samples, accurate to about 0.01 in p from five on. Both are NaN without x.
func Kolmogorov(x []float64) (distance, p float64) {
	n := float64(len(x))
	if n == 0 {
		return math.NaN(), math.NaN()
	}
	for k, z := range slices.Sorted(slices.Values(x)) {
		cdf := gauss.CDF(z)
		distance = max(distance, cdf-float64(k)/n, float64(k+1)/n-cdf)
	}
	root := math.Sqrt(n)
	d := distance * (root + 0.12 + 0.11/root)
	if d < 0.2 {
		return distance, 1 // within 1e-12; the series converges slowly
	}
	for k, sign := 1.0, 1.0; k <= 100; k, sign = k+1, -sign {
		p += 2 * sign * kernel.Exp(-2*k*k*d*d)
	}
	return distance, p
}
