package bnn

import (
	"fmt"
	"math"
	"slices"

	"closedform/internal/kernel"
)

// thresholds are 1 − 10^(−k/20) for k = 0, …, 240.
var thresholds = func() []float64 {
	all := make([]float64, 241)
	for k := range all {
		all[k] = 1 - kernel.Exp(-math.Ln10*float64(k)/20)
	}
	return all
}()

// TrackRecord counts predictions of examples that were not learned before, and the wrong ones among
// them, by the largest of 241 fixed thresholds that the probability of the predicted class reaches. It
// is not safe for concurrent use. The zero value has no predictions.
type TrackRecord struct {
	Predicted []int `json:"predicted,omitempty"` // by threshold, from 0
	Wrong     []int `json:"wrong,omitempty"`
}

// Add counts a prediction whose class has a probability, and that was wrong or not.
func (r *TrackRecord) Add(probability float64, wrong bool) {
	k, found := slices.BinarySearch(thresholds, probability)
	if !found {
		k = max(0, k-1)
	}
	if missing := k + 1 - len(r.Predicted); missing > 0 {
		r.Predicted = append(r.Predicted, make([]int, missing)...)
		r.Wrong = append(r.Wrong, make([]int, missing)...)
	}
	r.Predicted[k]++
	if wrong {
		r.Wrong[k]++
	}
}

// Validate returns an error unless the counts are such as [TrackRecord.Add] makes.
func (r *TrackRecord) Validate() error {
	if len(r.Predicted) > len(thresholds) || len(r.Wrong) != len(r.Predicted) {
		return fmt.Errorf("bnn: %d and %d counts of predictions; need as many, up to %d",
			len(r.Predicted), len(r.Wrong), len(thresholds))
	}
	for k, n := range r.Predicted {
		if r.Wrong[k] < 0 || r.Wrong[k] > n {
			return fmt.Errorf("bnn: %d of %d predictions are wrong", r.Wrong[k], n)
		}
	}
	return nil
}

// Threshold returns the smallest threshold of [Prediction.Decide] by [Probability] for which, with such a
// confidence, at most a share of the answers is wrong; +Inf if there is none. From the strictest
// threshold down it tests the hypothesis that a larger share is wrong, by the exact binomial
// distribution (Clopper and Pearson, Biometrika 1934), and stops at the first that is not rejected, so
// that no correction for many tests is needed (Angelopoulos et al., "Learn then test", 2021). Thresholds
// with too few answers to reject it, if none were wrong, are skipped.
func (r *TrackRecord) Threshold(share, confidence float64) float64 {
	smallest, answers, wrong := math.Inf(1), 0, 0
	for k := len(r.Predicted) - 1; k >= 0; k-- {
		answers += r.Predicted[k]
		wrong += r.Wrong[k]
		switch {
		case r.Predicted[k] == 0 || binomial(answers, 0, share) > 1-confidence:
		case binomial(answers, wrong, share) > 1-confidence:
			return smallest
		default:
			smallest = thresholds[k]
		}
	}
	return smallest
}

// binomial returns the probability of at most k successes in n trials of probability p.
func binomial(n, k int, p float64) (sum float64) {
	log := float64(n) * kernel.Log(1-p)
	for i := range min(k, n) + 1 {
		sum += kernel.Exp(log)
		log += kernel.Log(float64(n-i) / float64(i+1) * p / (1 - p))
	}
	return sum
}
