package bnn

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"

	"closedform/core/softmax"
	"closedform/internal/kernel"
)

// Unknown is the class of an input that is not classified.
const Unknown = -1

// Class returns the most probable class, from 0, or Unknown in the zero Prediction and after an error.
func (p *Prediction) Class() int {
	if !p.valid() {
		return Unknown
	}
	return floats.MaxIdx(p.P)
}

// Confidence ranks predictions: it is 1 − Π_k (1 − p_k)^w_k, where member k gives the most probable class the
// probability p_k and has the weight w_k of Weights, or p of a model without members. Unlike P it is small
// only if members of large weight doubt. In streams its largest values were wrong less often than those of P
// (results/CHOICES.md). After an error it is NaN.
func (p *Prediction) Confidence() float64 {
	best := p.Class()
	if best == Unknown {
		return math.NaN()
	}
	if len(p.Members) == 0 {
		return p.P[best] / p.Sum()
	}
	logError := 0.0
	for k, w := range p.Weights {
		if m := &p.Members[k]; w > 0 {
			logError += float64(w * kernel.Log(max(0, 1-m.P[best]/m.Sum())))
		}
	}
	return 1 - kernel.Exp(logError)
}

func (p *Prediction) valid() bool { return len(p.P) > 0 && !floats.HasNaN(p.P) }

// LabelVariance splits the variance Σ_j p_j(1 − p_j), p = P/Sum, of the one-hot label y into an aleatoric
// part, which no number of examples reduces, and an epistemic part. By the law of total variance, for s =
// softmax(z) and i ≠ j, Σ_j Var y_j = Σ_ij E[s_j s_i] + Σ_j Var s_j. The two fractions are those of the
// moments of the softmax itself, in a [Bank] before calibration, as a variance of the probit may be negative.
// After an error both parts are NaN.
func (p *Prediction) LabelVariance() (aleatoric, epistemic float64) {
	if !p.valid() {
		return math.NaN(), math.NaN()
	}
	m := p.softmaxMoments()
	whole, total := labelVariance(m.P, 1), labelVariance(p.P, p.Sum())
	if within := whole - kernel.Sum(m.E.RawMatrix().Data); within > momentErr {
		epistemic = total * (within / whole)
	}
	return total - epistemic, epistemic
}

// momentErr bounds the error of the softmax moments: smaller variances count as zero.
const momentErr = 1e-10

func labelVariance(p []float64, sum float64) (total float64) {
	for _, x := range p {
		total += x / sum * (1 - x/sum)
	}
	return total
}

func (p *Prediction) softmaxMoments() *softmax.Moments {
	m := softmax.NewMoments(len(p.P))
	if len(p.Members) == 0 {
		softmax.Exact{}.Moments(m, p.Mean, p.Variance)
		return m
	}
	m.Zero()
	for k, w := range p.Weights {
		if w > 0 {
			m.AddScaled(w, p.Members[k].softmaxMoments())
		}
	}
	return m
}

// MutualInformation returns the mutual information of the label and the member, I = H(p) − Σ_k w_k H(p_k) ≥ 0
// in nats, with the entropy H, Weights w_k, and p, p_k from Moments; it is 0 for a network. Probabilities
// that do not add up to 1 are divided by their sum, and w_k is multiplied by the sum of p_k over that of p.
func (p *Prediction) MutualInformation() float64 {
	if !p.valid() {
		return math.NaN()
	}
	if len(p.Members) == 0 {
		return 0
	}
	sum := 1 + p.Moments.Excess()
	information := kernel.Entropy(p.Moments.P, sum)
	for k, w := range p.Weights {
		if m := &p.Members[k]; w > 0 {
			share := 1 + m.Moments.Excess()
			information -= share / sum * w * kernel.Entropy(m.P, share)
		}
	}
	return max(0, information) // but for rounding
}

const grid = 241

// thresholds are 1 − 10^(−k/20).
var thresholds [grid]float64

func init() {
	for k := range thresholds {
		thresholds[k] = 1 - kernel.Exp(-math.Ln10*float64(k)/20)
	}
}

// TrackRecord counts test-then-train predictions, and the wrong ones among them, by the largest of 241 fixed
// thresholds that [Prediction.Confidence] reaches. The zero value is empty. Concurrent use is not safe.
type TrackRecord struct {
	Predicted [grid]int `json:"predicted"` // by threshold, from 0
	Wrong     [grid]int `json:"wrong"`
}

// Add counts a prediction with its confidence, from 0 to 1; NaN is ignored.
func (r *TrackRecord) Add(confidence float64, wrong bool) {
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
func (r *TrackRecord) Len() (n int) {
	for _, k := range r.Predicted {
		n += k
	}
	return n
}

// Join adds the predictions of another record.
func (r *TrackRecord) Join(other *TrackRecord) {
	for k, n := range other.Predicted {
		r.Predicted[k] += n
		r.Wrong[k] += other.Wrong[k]
	}
}

// Validate returns an error unless [TrackRecord.Add] can produce the counts.
func (r *TrackRecord) Validate() error {
	for k, n := range r.Predicted {
		if r.Wrong[k] < 0 || r.Wrong[k] > n {
			return fmt.Errorf("bnn: %d of %d predictions are wrong", r.Wrong[k], n)
		}
	}
	return nil
}

// Threshold returns the smallest [Prediction.Confidence] from which on at most the given share of the
// predictions is wrong, with the statistical confidence 1 − δ; +Inf if there is none. In a fixed sequence of
// decreasing thresholds it tests the hypothesis of a larger share, each time at level δ by the exact
// binomial distribution (Clopper and Pearson, Biometrika 1934), until one is not rejected (fixed sequence
// testing: Angelopoulos et al., "Learn then test", 2021). The sequence must not depend on which predictions
// were wrong. It has the thresholds whose hypothesis is as likely to be rejected as that of any smaller one,
// or more, if the number of errors is Poisson with 1.25 times the mean that the confidences of the
// predictions imply, as these may be too large. A share or confidence not between 0 and 1 is an error.
func (r *TrackRecord) Threshold(share, confidence float64) (float64, error) {
	if !(0 < share && share < 1 && 0 < confidence && confidence < 1) {
		return math.NaN(), fmt.Errorf("bnn: a share of %g wrong answers with confidence %g; "+
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

const untested = math.MaxInt

// sequence returns with how many errors at most the hypothesis of each threshold is rejected, or untested.
func (r *TrackRecord) sequence(share, delta float64) (allowed [grid]int) {
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
	lowest := 1.0 // of the smaller thresholds
	for k, f := range fails {
		if f > lowest {
			allowed[k] = untested
		}
		lowest = min(lowest, f)
	}
	return allowed
}

func binomial(n, k int, p float64) float64 {
	if k >= n {
		return 1
	}
	return mathext.RegIncBeta(float64(n-k), float64(k+1), 1-p)
}
