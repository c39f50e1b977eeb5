package metric

import (
	"cmp"
	"math"
	"slices"
)

// TotalVariation returns ½ Σ_j |p_j − q_j|.
func TotalVariation(p, q []float64) (tv float64) {
	for j := range p {
		tv += math.Abs(p[j]-q[j]) / 2
	}
	return tv
}

// Nemenyi returns the critical difference of the mean ranks of so many methods over so many sets, at 5 %
// (Demšar, "Statistical comparisons of classifiers over multiple data sets", JMLR 2006).
func Nemenyi(methods, sets int) float64 {
	k := float64(methods)
	return StudentizedRange(methods) / math.Sqrt2 * math.Sqrt(k*(k+1)/float64(6*sets))
}

// Holm returns p-values corrected for their number (Holm, "A simple sequentially rejective multiple test
// procedure", Scandinavian Journal of Statistics 1979). Those that are not numbers stay, and count.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) }) // NaN first
	corrected, largest, left := slices.Clone(p), 0.0, len(p)
	for _, i := range order {
		if !math.IsNaN(p[i]) {
			largest = max(largest, min(1, p[i]*float64(left)))
			corrected[i] = largest
			left--
		}
	}
	return corrected
}
