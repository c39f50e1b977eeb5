package metric

import (
	"cmp"
	"fmt"
	"slices"
)

// Ranking is a list of examples by descending score, divided into ties.
type Ranking []tie

// tie is the examples from start to end−1 of a ranking, which have the same score.
type tie struct {
	score              float64
	start, end, marked int // marked is the number of marked examples among them
}

// Rank ranks examples by a score, such as a confidence; some of them, such as wrong answers, are marked. NaN
// is the smallest score, and each NaN is a tie of its own.
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

// RiskCoverage returns the scores that occur, from the largest; for each of them the coverage, the share of
// examples that have this score or a larger one; and the selective risk, the share of wrong ones among them
// (El-Yaniv and Wiener, "On the foundations of noise-free selective classification", JMLR 2010).
func (r Ranking) RiskCoverage() (threshold, coverage, risk []float64) {
	threshold, coverage, risk = make([]float64, len(r)), make([]float64, len(r)), make([]float64, len(r))
	errors, n := 0, float64(r.len())
	for k, t := range r { // a threshold accepts all examples of a tie
		errors += t.marked
		threshold[k], coverage[k], risk[k] = t.score, float64(t.end)/n, float64(errors)/float64(t.end)
	}
	return threshold, coverage, risk
}

// AURC returns the area under the risk–coverage curve, the mean selective risk over all numbers of accepted
// examples (Geifman, Uziel and El-Yaniv, "Bias-reduced uncertainty estimation for deep neural classifiers",
// ICLR 2019). It is the expectation over random orders of equally confident examples.
func (r Ranking) AURC() float64 { return r.area(func(answered int) int { return answered }) }

// AUGRC returns the area under the generalised risk–coverage curve (Traub et al., "Overcoming common flaws in
// the evaluation of selective classification systems", NeurIPS 2024): [Ranking.AURC] with wrong examples as a
// share of all examples rather than of the accepted ones. It does not weight confident mistakes.
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
	above := 0.0 // number of known examples with larger scores
	for _, t := range Rank(score, positive) {
		marked, negative := float64(t.marked), float64(t.end-t.start-t.marked)
		auroc += negative * (above + marked/2)
		above += marked
	}
	return auroc / float64(len(known)*len(others))
}

// sorted returns the indices of x in ascending order, or for the sign −1 in descending order. Equal numbers
// stay in the order of x. NaN is smallest.
func sorted(x []float64, sign int) []int {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return sign * cmp.Compare(x[a], x[b]) })
	return order
}
