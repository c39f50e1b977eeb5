package metric

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/integrate/quad"

	"closedform/core/gauss"
	"closedform/internal/kernel"
)

// Nemenyi returns the critical difference, at 5 %, of mean ranks of methods over data sets (Demšar,
// "Statistical comparisons of classifiers over multiple data sets", JMLR 2006).
func Nemenyi(methods, sets int) float64 {
	k := float64(methods)
	return StudentizedRange(methods) / math.Sqrt2 * math.Sqrt(k*(k+1)/float64(6*sets))
}

// Ranks returns the ranks of x, 1 for the smallest number. Numbers that are equal up to rounding share their
// mean rank. NaN is last.
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

// StudentizedRange returns the 95 % quantile of the range of k independent standard normal numbers, Tukey's
// studentized range with infinitely many degrees of freedom: P(q) = k ∫ φ(z) (Φ(z) − Φ(z−q))^{k−1} dz.
func StudentizedRange(k int) float64 {
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

// NormalTail returns z with Φ(−z) = p < ½, by Newton's method for log p.
func NormalTail(p float64) (z float64) {
	for range 50 {
		z += (gauss.LogCDF(-z) - kernel.Log(p)) / gauss.InverseMills(-z)
	}
	return z
}

// Kolmogorov returns the largest distance between the empirical distribution function of independent x and Φ,
// and its p-value: Kolmogorov's limit with the correction of Stephens (1970) for finite samples, accurate to
// about 0.01 for five or more numbers. Both are NaN if x is empty.
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
		return distance, 1 // p is 1 within 1e-12, where the series converges slowly
	}
	for k, sign := 1.0, 1.0; k <= 100; k, sign = k+1, -sign {
		p += 2 * sign * kernel.Exp(-2*k*k*d*d)
	}
	return distance, p
}

// SignedRank returns the two-sided p-value of the hypothesis that independent differences x are symmetric about
// 0 (Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1945). Differences of 0 do not
// count, equal sizes share their mean rank, and infinite ones are the largest. Given the ranks, the p-value is
// exact for up to 25 differences; for more it is that of the normal approximation, without correction for
// continuity. It is NaN if all differences are 0, or any is NaN.
func SignedRank(x []float64) float64 {
	x = slices.DeleteFunc(slices.Clone(x), func(d float64) bool { return d == 0 })
	n := len(x)
	if n == 0 || slices.ContainsFunc(x, math.IsNaN) {
		return math.NaN()
	}
	size := make([]float64, n)
	for i, d := range x {
		size[i] = math.Abs(d)
	}
	var positive, sum, squares float64 // of the ranks, doubled to be integers
	ranks := Ranks(size)
	for i, r := range ranks {
		if sum, squares = sum+2*r, squares+4*r*r; x[i] > 0 {
			positive += 2 * r
		}
	}
	smaller := min(positive, sum-positive)
	if n > 25 {
		return 2 * gauss.CDF((smaller-sum/2)/math.Sqrt(squares/4))
	}
	ways := make([]float64, int(sum)+1) // number of ways to choose signs such that the positive ranks have this sum
	ways[0] = 1
	for _, r := range ranks {
		for s := len(ways) - 1; s >= int(2*r); s-- {
			ways[s] += ways[s-int(2*r)]
		}
	}
	return min(1, 2*kernel.Sum(ways[:int(smaller)+1])/float64(int(1)<<n))
}

// Holm returns p-values corrected for their number (Holm, "A simple sequentially rejective multiple test
// procedure", Scandinavian Journal of Statistics 1979). NaN stays NaN, and counts as a test.
func Holm(p []float64) []float64 {
	corrected, largest, left := slices.Clone(p), 0.0, len(p)
	for _, i := range sorted(p, 1) {
		if !math.IsNaN(p[i]) {
			largest = max(largest, min(1, p[i]*float64(left)))
			corrected[i] = largest
			left--
		}
	}
	return corrected
}
