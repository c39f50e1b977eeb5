// Package metric scores probabilistic predictions, vectors of a probability for each class
// from 0. Functions over a set of them panic if it is empty or the lengths do not match.
package metric

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"

	"closedform/core/gauss"
	"closedform/internal/kernel"
)

// Error returns the share of examples whose largest probability is that of another
// class.
func Error(p [][]float64, class []int) float64 {
	return average(p, class, func(p []float64, c int) float64 { return 1 - correct(p, c) })
}

// correct returns 1 if the largest probability is that of class c, else 0.
func correct(p []float64, c int) float64 {
	if floats.MaxIdx(p) == c {
		return 1
	}
	return 0
}

// LogLoss returns the mean of −log p_c for the true class c, in nats: +Inf if
// one of them was given probability zero.
func LogLoss(p [][]float64, class []int) float64 {
	return average(p, class, func(p []float64, c int) float64 { return -kernel.Log(p[c]) })
}

// Brier returns the mean of Σ_j (p_j − y_j)² for one-hot labels y (Brier 1950),
// from 0 to 2.
func Brier(p [][]float64, class []int) float64 {
	return average(p, class, func(p []float64, c int) float64 {
		var sum float64
		for j, pj := range p {
			if j == c {
				pj--
			}
			sum += pj * pj
		}
		return sum
	})
}

// ECE returns the expected calibration error of the largest probability over
// bins of equal width (Guo et al. 2017): the mean over bins, weighted by their
// examples, of |accuracy − confidence|.
func ECE(p [][]float64, class []int, bins int) float64 {
	gap := make([]float64, bins) // Σ (correct − confidence) in a bin
	average(p, class, func(p []float64, c int) float64 {
		top := floats.Max(p)
		b := min(bins-1, int(top*float64(bins)))
		gap[b] -= top
		gap[b] += correct(p, c)
		return 0
	})
	var sum float64
	for _, g := range gap {
		sum += math.Abs(g)
	}
	return sum / float64(len(p))
}

func average(p [][]float64, class []int, f func([]float64, int) float64) float64 {
	if len(p) != len(class) || len(p) == 0 {
		panic(fmt.Sprintf("metric: %d predictions for %d labels", len(p), len(class)))
	}
	var sum float64
	for i := range p {
		sum += f(p[i], class[i])
	}
	return sum / float64(len(p))
}

// AUROC returns the area under the receiver operating characteristic of a score
// that should be larger for positive examples: the probability that it ranks a
// random positive above a random negative, ties counting half (Mann and Whitney
// 1947). It is NaN if all examples are positive or none is.
func AUROC(score []float64, positive []bool) float64 {
	var ranks, positives float64 // Σ mid-ranks of the positives, from the largest score
	for _, t := range ties(score, positive) {
		for range t.marked {
			ranks += 0.5 * float64(t.start+t.end+1)
		}
		positives += float64(t.marked)
	}
	negatives := float64(len(score)) - positives
	return (positives*negatives + 0.5*positives*(positives+1) - ranks) / (positives * negatives)
}

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
