package bnn

import (
	"fmt"
	"math"

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
