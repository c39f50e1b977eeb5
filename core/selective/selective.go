// Package selective promises a share of wrong predictions: a [Record] of predictions made before learning
// yields the smallest confidence from which on at most that share is wrong (selective classification).
//
//	var r selective.Record
//	r.Add(p.Confidence(), p.Class() != class) // each prediction before learning
//	t, err := r.Threshold(0.02, 0.95)         // from confidence t on at most 2 % are wrong
package selective

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mathext"

	"closedform/internal/kernel"
)

const grid = 241

// thresholds are 1 − 10^(−k/20).
var thresholds = func() (t [grid]float64) {
	for k := range t {
		t[k] = 1 - kernel.Exp(-math.Ln10*float64(k)/20)
	}
	return t
}()

// Record counts test-then-train predictions, and the wrong ones among them, by the largest of 241 fixed
// thresholds that their confidence reaches. The zero value is empty. Concurrent use is not safe.
type Record struct {
	Predicted [grid]int `json:"predicted"` // number of predictions for each threshold
	Wrong     [grid]int `json:"wrong"`
}

// Add counts a prediction with its confidence, from 0 to 1; NaN is ignored.
func (r *Record) Add(confidence float64, wrong bool) {
	if math.IsNaN(confidence) {
		return
	}
	k, found := slices.BinarySearch(thresholds[:], confidence)
	if !found {
		k = max(0, k-1)
	}
	r.Predicted[k]++
	if wrong {
		r.Wrong[k]++
	}
}

// Len returns the number of predictions.
func (r *Record) Len() (n int) {
	for _, k := range r.Predicted {
		n += k
	}
	return n
}

// Join adds the predictions of another record.
func (r *Record) Join(other *Record) {
	for k, n := range other.Predicted {
		r.Predicted[k] += n
		r.Wrong[k] += other.Wrong[k]
	}
}

// Validate returns an error unless [Record.Add] can produce the counts.
func (r *Record) Validate() error {
	for k, n := range r.Predicted {
		if r.Wrong[k] < 0 || r.Wrong[k] > n {
			return fmt.Errorf("selective: %d of %d predictions are wrong", r.Wrong[k], n)
		}
	}
	return nil
}

// Threshold returns the smallest confidence of predictions from which on at most the given share of them is
// wrong, with the statistical confidence 1 − δ; +Inf if there is none. In a fixed sequence of decreasing
// thresholds it tests the hypothesis of a larger share, each time at level δ by the exact binomial
// distribution (Clopper and Pearson, Biometrika 1934), until one is not rejected (fixed sequence testing:
// Angelopoulos et al., "Learn then test", 2021). The sequence must not depend on which predictions were
// wrong. A threshold is left out if the hypothesis of a smaller one is more likely to be rejected. The
// probabilities assume that the number of errors is Poisson with 1.25 times the mean that the confidences
// imply, as confidences may be too large. A share or confidence not between 0 and 1 is an error.
//
// One look is meant, at a time fixed beforehand. Looking again and again and taking the first finite threshold
// breaks more promises than δ: looking after every ten of 2,000 predictions broke 37 % of promises of 95 % in
// a simulation in which each prediction was wrong with a probability just above the share.
func (r *Record) Threshold(share, confidence float64) (float64, error) {
	if !(0 < share && share < 1 && 0 < confidence && confidence < 1) {
		return math.NaN(), fmt.Errorf("selective: a share of %g wrong answers with confidence %g; "+
			"need numbers between 0 and 1", share, confidence)
	}
	allowed := r.sequence(share, 1-confidence)
	smallest, wrong := math.Inf(1), 0
	for k := len(r.Wrong) - 1; k >= 0; k-- {
		wrong += r.Wrong[k]
		if wrong > allowed[k] {
			break
		}
		if allowed[k] != untested {
			smallest = thresholds[k]
		}
	}
	return smallest, nil
}

// Smallest returns the smallest share of wrong predictions that can be promised with the given confidence,
// rounded up to two digits; 1, which is always kept, if there is no smaller one. Its first argument is
// [Record.Threshold] or another method that returns +Inf for a share that cannot be promised. Such a share may
// be larger than one that can be promised, so Smallest tries 0.99, 0.98, …, 0.10, 0.099, …, 1e-6 and stops
// before the first that cannot be: all larger ones of these can be promised, too. The record itself chooses
// the share; in simulations with a confidence of 95 % at most 5 % of the promises of this share were broken.
func Smallest(threshold func(share, confidence float64) (float64, error), confidence float64) (float64, error) {
	smallest := 1.0
	for scale := 1e2; scale <= 1e7; scale *= 10 {
		for digits := 99.0; digits >= 10; digits-- {
			t, err := threshold(digits/scale, confidence)
			if err != nil {
				return math.NaN(), err
			}
			if math.IsInf(t, 1) {
				return smallest, nil
			}
			smallest = digits / scale
		}
	}
	return smallest, nil
}

// untested marks the thresholds that are left out of the sequence.
const untested = math.MaxInt

// sequence returns for each threshold the largest number of errors that rejects its hypothesis, or untested.
func (r *Record) sequence(share, delta float64) (allowed [grid]int) {
	var fails [grid]float64
	answers, expected := 0, 0.0
	for k := len(r.Predicted) - 1; k >= 0; k-- {
		answers += r.Predicted[k]
		expected += float64(float64(r.Predicted[k]) * (1 - thresholds[k]))
		fails[k] = math.Inf(1)
		if r.Predicted[k] == 0 {
			continue
		}
		accepted := sort.Search(answers, func(wrong int) bool { return binomial(answers, wrong, share) > delta })
		if allowed[k] = accepted - 1; accepted > 0 {
			fails[k] = mathext.GammaIncReg(float64(accepted), 1.25*expected)
		}
	}
	lowest := 1.0 // smallest value of fails at smaller thresholds
	for k, f := range fails {
		if f > lowest {
			allowed[k] = untested
		}
		lowest = min(lowest, f)
	}
	return allowed
}

// binomial is the probability of at most k successes in n trials of probability p.
func binomial(n, k int, p float64) float64 {
	if k >= n {
		return 1
	}
	return mathext.RegIncBeta(float64(n-k), float64(k+1), 1-p)
}
