// Package metric scores probabilistic predictions, vectors with a probability for each class from 0, and has
// statistical tests. Functions of several predictions panic if there are none or lengths do not match.
package metric

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
)

// Error returns the share of examples whose most probable class is wrong.
func Error(p [][]float64, class []int) float64 {
	return average(p, class, func(p []float64, c int) float64 { return 1 - correct(p, c) })
}

func correct(p []float64, c int) float64 {
	if floats.MaxIdx(p) == c {
		return 1
	}
	return 0
}

// LogLoss returns the mean of −log p_c of the true class c, in nats; +Inf if a p_c is zero.
func LogLoss(p [][]float64, class []int) float64 {
	return average(p, class, func(p []float64, c int) float64 { return -kernel.Log(p[c]) })
}

// Brier returns the mean of Σ_j (p_j − y_j)² for one-hot labels y (Brier 1950), from 0 to 2.
func Brier(p [][]float64, class []int) float64 {
	return average(p, class, func(p []float64, c int) (sum float64) {
		for j, pj := range p {
			if j == c {
				pj--
			}
			sum += pj * pj
		}
		return sum
	})
}

// ECE returns the expected calibration error of the largest probability over bins of equal width (Guo et al.
// 2017): the mean of |accuracy − confidence| over the bins, weighted by their numbers of examples.
func ECE(p [][]float64, class []int, bins int) (sum float64) {
	gap := make([]float64, bins) // Σ (correct − confidence) in a bin
	for i, p := range p {
		top := floats.Max(p)
		b := min(bins-1, int(top*float64(bins)))
		gap[b] -= top
		gap[b] += correct(p, class[i])
	}
	for _, g := range gap {
		sum += math.Abs(g)
	}
	return sum / float64(len(p))
}

func average(p [][]float64, class []int, f func([]float64, int) float64) (sum float64) {
	if len(p) != len(class) || len(p) == 0 {
		panic(fmt.Sprintf("metric: %d predictions for %d labels", len(p), len(class)))
	}
	for i := range p {
		sum += f(p[i], class[i])
	}
	return sum / float64(len(p))
}

// TotalVariation returns the total variation distance ½ Σ_j |p_j − q_j| of two predictions.
func TotalVariation(p, q []float64) (tv float64) {
	for j := range p {
		tv += math.Abs(p[j]-q[j]) / 2
	}
	return tv
}
