// Package metric scores probabilistic predictions, vectors of a probability for each class
// from 0. Functions over a set of them panic if it is empty or the lengths do not match.
package metric

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"

	"closedform/core/gauss"
	"closedform/internal/kernel"
)

// Accuracy returns the share of examples whose largest probability is that of
// the true class.
func Accuracy(p [][]float64, class []int) float64 {
	return average(p, class, correct)
}

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

// RiskCoverage returns, for every confidence that occurs, from the largest, the
// share of the examples that are at least as confident, the coverage, and the
// share of these that are wrong, the selective risk (El-Yaniv and Wiener, "On the
// foundations of noise-free selective classification", JMLR 2010).
func RiskCoverage(confidence []float64, wrong []bool) (threshold, coverage, risk []float64) {
	var errors int
	for _, t := range ties(confidence, wrong) { // a threshold takes all that are equally confident
		errors += t.marked
		threshold = append(threshold, t.score)
		coverage = append(coverage, float64(t.end)/float64(len(confidence)))
		risk = append(risk, float64(errors)/float64(t.end))
	}
	return threshold, coverage, risk
}

// AURC returns the area under the risk–coverage curve: the mean of the selective
// risk over the numbers of examples that are answered (Geifman, Uziel and
// El-Yaniv, "Bias-reduced uncertainty estimation for deep neural classifiers",
// ICLR 2019). Equally confident examples are answered in a random order, of which
// it is the expectation.
func AURC(confidence []float64, wrong []bool) float64 {
	return area(confidence, wrong, func(answered int) int { return answered })
}

// AUGRC returns the area under the generalised risk–coverage curve (Traub et al.,
// "Overcoming common flaws in the evaluation of selective classification systems",
// NeurIPS 2024): as [AURC], with the share of all examples that are answered wrong in
// place of that among the answered, so that the surest mistakes count no more than others.
func AUGRC(confidence []float64, wrong []bool) float64 {
	return area(confidence, wrong, func(int) int { return len(confidence) })
}

// area returns the mean of the wrong ones among the surest k examples, a share of so many.
func area(confidence []float64, wrong []bool, of func(k int) int) float64 {
	var sum, errors float64
	for _, t := range ties(confidence, wrong) {
		among := float64(t.marked)
		for k := t.start + 1; k <= t.end; k++ {
			sum += (errors + among*float64(k-t.start)/float64(t.end-t.start)) / float64(of(k))
		}
		errors += among
	}
	return sum / float64(len(confidence))
}

// FalsePositives returns the share of the negative examples whose score is at
// least the largest threshold that the given share of the positive ones reaches:
// with rate 0.95 the "FPR at 95 % TPR" of Hendrycks and Gimpel, "A baseline for
// detecting misclassified and out-of-distribution examples", ICLR 2017. It is NaN
// if there is none of one kind.
func FalsePositives(score []float64, positive []bool, rate float64) float64 {
	var positives, passed, negatives int
	for _, yes := range positive {
		if yes {
			positives++
		}
	}
	need := max(1, int(math.Ceil(rate*float64(positives)-1e-9)))
	for _, t := range ties(score, positive) {
		if need > 0 {
			passed += t.end - t.start - t.marked
		}
		need -= t.marked
		negatives += t.end - t.start - t.marked
	}
	if positives == 0 {
		return math.NaN()
	}
	return float64(passed) / float64(negatives)
}

// tie is examples of the same score: those from start to before end, from the largest
// score, of which some are marked.
type tie struct {
	score              float64
	start, end, marked int
}

// ties returns the examples from the largest score, of which one that is not a number
// is the least, each of these on its own.
func ties(score []float64, marked []bool) []tie {
	if len(score) != len(marked) || len(score) == 0 {
		panic(fmt.Sprintf("metric: %d scores for %d examples", len(score), len(marked)))
	}
	order := make([]int, len(score))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	var out []tie
	for i, k := range order {
		if i == 0 || score[k] != out[len(out)-1].score {
			out = append(out, tie{score: score[k], start: i})
		}
		last := &out[len(out)-1]
		last.end = i + 1
		if marked[k] {
			last.marked++
		}
	}
	return out
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
