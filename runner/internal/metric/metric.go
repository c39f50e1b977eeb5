// Package metric scores probabilistic predictions, vectors with a probability for each class from 0.
// Functions of several predictions panic if there are none or lengths do not match.
package metric

import (
	"cmp"
	"fmt"
	"math"
	"slices"

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
// 2017): the mean of |accuracy − confidence| over bins, weighted by their examples.
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

// Ranking is examples in ties, from the largest confidence.
type Ranking []tie

// tie is the examples from start to before end, which have the same score, with the number of marked ones.
type tie struct {
	score              float64
	start, end, marked int
}

// Rank ranks examples by a score. NaN is smallest, and each is a tie of its own.
func Rank(score []float64, marked []bool) (out Ranking) {
	if len(score) != len(marked) || len(score) == 0 {
		panic(fmt.Sprintf("metric: %d scores for %d examples", len(score), len(marked)))
	}
	out = make(Ranking, 0, len(score))
	for i, k := range sorted(score, -1) {
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

func (r Ranking) len() int { return r[len(r)-1].end }

// RiskCoverage returns, for every confidence that occurs, from the largest, the share of examples that are at
// least as confident (coverage), and the share of these that are wrong (selective risk; El-Yaniv and Wiener,
// "On the foundations of noise-free selective classification", JMLR 2010).
func (r Ranking) RiskCoverage() (threshold, coverage, risk []float64) {
	threshold, coverage, risk = make([]float64, len(r)), make([]float64, len(r)), make([]float64, len(r))
	errors, n := 0, float64(r.len())
	for k, t := range r { // a threshold takes all that are equally confident
		errors += t.marked
		threshold[k], coverage[k], risk[k] = t.score, float64(t.end)/n, float64(errors)/float64(t.end)
	}
	return threshold, coverage, risk
}

// AURC returns the area under the risk–coverage curve, the mean selective risk over all numbers of accepted
// examples (Geifman, Uziel and El-Yaniv, "Bias-reduced uncertainty estimation for deep neural classifiers",
// ICLR 2019). It is the expectation over random orders of equally confident examples.
func (r Ranking) AURC() float64 { return r.area(func(answered int) int { return answered }) }

// AUGRC is [Ranking.AURC] with the share of all examples that are accepted and wrong in place of the share
// among the accepted, the area under the generalised risk–coverage curve (Traub et al., "Overcoming common
// flaws in the evaluation of selective classification systems", NeurIPS 2024). It does not weight confident
// mistakes.
func (r Ranking) AUGRC() float64 { return r.area(func(int) int { return r.len() }) }

// area returns the mean over k of the errors among the k most confident examples over total(k).
func (r Ranking) area(total func(k int) int) float64 {
	var sum, errors float64
	for _, t := range r {
		among := float64(t.marked)
		for k := t.start + 1; k <= t.end; k++ {
			sum += (errors + among*float64(k-t.start)/float64(t.end-t.start)) / float64(total(k))
		}
		errors += among
	}
	return sum / float64(r.len())
}

// AUROC returns the area under the ROC curve: the probability that a random known example has a larger score
// than a random other one, ties counting half (Mann and Whitney 1947). It is NaN if either kind is missing.
func AUROC(known, others []float64) (auroc float64) {
	score := slices.Concat(known, others)
	positive := slices.Concat(slices.Repeat([]bool{true}, len(known)), make([]bool, len(others)))
	above := 0.0 // known examples of larger scores
	for _, t := range Rank(score, positive) {
		marked, negative := float64(t.marked), float64(t.end-t.start-t.marked)
		auroc += negative * (above + marked/2)
		above += marked
	}
	return auroc / float64(len(known)*len(others))
}

// sorted returns the indices of x in ascending order, or for the sign −1 descending, equal numbers in order.
// NaN is smallest.
func sorted(x []float64, sign int) []int {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if c := cmp.Compare(x[a], x[b]); c != 0 {
			return sign * c
		}
		return a - b
	})
	return order
}
