package metric

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// RiskCoverage returns, for every confidence that occurs, from the largest, the
// share of the examples that are at least as confident, the coverage, and the
// share of these that are wrong, the selective risk (El-Yaniv and Wiener, "On the
// foundations of noise-free selective classification", JMLR 2010).
func RiskCoverage(confidence []float64, wrong []bool) (threshold, coverage, risk []float64) {
	order := byConfidence(confidence, wrong)
	var answered, errors int
	for i, k := range order {
		answered++
		if wrong[k] {
			errors++
		}
		if i+1 < len(order) && confidence[order[i+1]] == confidence[k] {
			continue // a threshold takes all that are equally confident
		}
		threshold = append(threshold, confidence[k])
		coverage = append(coverage, float64(answered)/float64(len(order)))
		risk = append(risk, float64(errors)/float64(answered))
	}
	return threshold, coverage, risk
}

// AURC returns the area under the risk–coverage curve: the mean of the selective
// risk over the numbers of examples that are answered (Geifman, Uziel and
// El-Yaniv, "Bias-reduced uncertainty estimation for deep neural classifiers",
// ICLR 2019). Equally confident examples are answered in a random order, of which
// it is the expectation.
func AURC(confidence []float64, wrong []bool) float64 {
	order := byConfidence(confidence, wrong)
	var sum, errors float64
	for start := 0; start < len(order); {
		end, among := start, 0.0
		for end < len(order) && confidence[order[end]] == confidence[order[start]] {
			if wrong[order[end]] {
				among++
			}
			end++
		}
		for k := start + 1; k <= end; k++ {
			sum += (errors + among*float64(k-start)/float64(end-start)) / float64(k)
		}
		errors += among
		start = end
	}
	return sum / float64(len(order))
}

// FalsePositives returns the share of the negative examples whose score is at
// least the largest threshold that the given share of the positive ones reaches:
// with rate 0.95 the "FPR at 95 % TPR" of Hendrycks and Gimpel, "A baseline for
// detecting misclassified and out-of-distribution examples", ICLR 2017. It is NaN
// if there is none of one kind.
func FalsePositives(score []float64, positive []bool, rate float64) float64 {
	order := byConfidence(score, positive)
	var positives []float64
	for _, k := range order {
		if positive[k] {
			positives = append(positives, score[k])
		}
	}
	if len(positives) == 0 || len(positives) == len(order) {
		return math.NaN()
	}
	need := max(1, int(math.Ceil(rate*float64(len(positives))-1e-9)))
	threshold, passed := positives[need-1], 0
	for k, s := range score {
		if !positive[k] && s >= threshold {
			passed++
		}
	}
	return float64(passed) / float64(len(order)-len(positives))
}

// byConfidence returns the examples from the most confident; a confidence that is
// not a number is the least.
func byConfidence(confidence []float64, marked []bool) []int {
	if len(confidence) != len(marked) || len(confidence) == 0 {
		panic(fmt.Sprintf("metric: %d scores for %d examples", len(confidence), len(marked)))
	}
	order := make([]int, len(confidence))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(confidence[b], confidence[a]) })
	return order
}
