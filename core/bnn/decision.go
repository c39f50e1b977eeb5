package bnn

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/softmax"
	"closedform/internal/kernel"
)

// Unknown is the decision for none of the classes.
const Unknown = -1

// Confidence is a measure of how certain a prediction is, at most 1.
type Confidence string

const (
	// Probability is the largest predictive probability.
	Probability Confidence = "probability"

	// EntropyBased is one minus the predictive entropy, the entropy in units of
	// its largest value: 1 − H(p)/log n.
	EntropyBased Confidence = "entropy"

	// Epistemic is one minus the epistemic fraction of Prediction.LabelVariance: 1 where more examples
	// would not help.
	Epistemic Confidence = "epistemic"

	// MutualInformation is one minus that of label and member of an ensemble, in units of
	// the largest entropy of the label: 1 − I/log n; 1 of a network by itself.
	MutualInformation Confidence = "mutual-information"
)

// momentErr bounds the error of the moments of the softmax: a smaller variance is none.
const momentErr = 1e-10

// Decide returns the most probable class, from 0, where the confidence is at least the threshold,
//
//	argmax_j p_j if confidence ≥ threshold, else Unknown.
//
// It is Unknown, too, in the zero Prediction and after an error.
func (p *Prediction) Decide(by Confidence, threshold float64) int {
	if !(p.Confidence(by) >= threshold) {
		return Unknown
	}
	return p.Class()
}

// Class returns the most probable class, from 0, of equally probable ones the first; Unknown
// in the zero Prediction and after an error.
func (p *Prediction) Class() int {
	if !p.valid() {
		return Unknown
	}
	return floats.MaxIdx(p.P)
}

// valid reports whether there are probabilities, none of them NaN.
func (p *Prediction) valid() bool { return len(p.P) > 0 && !floats.HasNaN(p.P) }

// Confidence returns how confident the prediction is, NaN in the zero Prediction and after an
// error. It panics if there is no such kind.
func (p *Prediction) Confidence(by Confidence) float64 {
	if !p.valid() {
		return math.NaN()
	}
	sum := p.Sum()
	switch by {
	case Probability:
		return floats.Max(p.P) / sum
	case EntropyBased:
		return 1 - kernel.Entropy(p.P, sum)/kernel.Log(float64(len(p.P)))
	case Epistemic:
		aleatoric, epistemic := p.LabelVariance()
		if epistemic <= momentErr {
			return 1
		}
		return 1 - epistemic/(aleatoric+epistemic)
	case MutualInformation:
		return 1 - p.MutualInformation()/kernel.Log(float64(len(p.P)))
	}
	panic(fmt.Sprintf("bnn: no confidence %q", by))
}

// LabelVariance splits the variance of the one-hot label y, summed over the classes, into an aleatoric
// and an epistemic part. With s = softmax(z), by the law of total variance,
//
//	Σ_j Var y_j = Σ_j p_j(1 − p_j) = Σ_ij E[s_j s_i] + Σ_j Var s_j,   p = E s, i ≠ j.
//
// The first part, the aleatoric one, remains however many examples are learned. Both are of
// [Prediction.SoftmaxMoments], as variances of the probit may be negative.
func (p *Prediction) LabelVariance() (aleatoric, epistemic float64) {
	m := p.SoftmaxMoments()
	total := 0.0
	for _, x := range m.P {
		total += x * (1 - x)
	}
	aleatoric = min(total, kernel.Sum(m.E.RawMatrix().Data)) // but for rounding
	return aleatoric, total - aleatoric
}

// SoftmaxMoments computes the moments of the softmax itself of the predicted logits, in a
// mixture those of the members' mixture, by [softmax.Exact].
func (p *Prediction) SoftmaxMoments() *softmax.Moments {
	m := softmax.NewMoments(len(p.P))
	if len(p.Members) == 0 {
		softmax.Exact{}.Moments(m, p.Mean, p.Variance)
		return m
	}
	m.Zero()
	for k, w := range p.Weights {
		if w > 0 {
			m.AddScaled(w, p.Members[k].SoftmaxMoments())
		}
	}
	return m
}

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
