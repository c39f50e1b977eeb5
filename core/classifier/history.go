package classifier

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"closedform/core/bnn"
	"closedform/core/familiar"
	"closedform/core/features"
	"closedform/core/readout"
	"closedform/core/selective"
)

// History is what a [Classifier] keeps of its examples apart from the model: the distribution of the inputs,
// and how each example was predicted before it was learned. The zero value, for a model that was trained
// elsewhere, keeps nothing and counts all inputs as familiar.
type History struct {
	Familiar *familiar.Inputs `json:"familiar,omitempty"` // distribution of the inputs; nil: not kept

	// Record and Recent cover at least the last half of the examples, as early predictions are worse than later
	// ones. If Record is nil, neither is kept.
	Record *selective.Record `json:"track_record,omitempty"`
	Recent selective.Record  `json:"recent,omitzero"` // predictions of the examples after those of Record
}

// NewHistory returns an empty history for inputs of the given length, at least 1.
func NewHistory(inputs int) *History {
	return &History{Familiar: familiar.New(inputs), Record: new(selective.Record)}
}

// Add adds an example with the confidence of its prediction before the model learned it, see
// [bnn.Prediction.Confidence], and whether the prediction was wrong. [Classifier.Learn] calls Add; a program
// that trains the model itself calls it in the first pass.
func (h *History) Add(x []float64, confidence float64, wrong bool) {
	if h.Familiar != nil {
		_ = h.Familiar.Observe(x) // the distribution leaves out inputs beyond ±1e100
	}
	if h.Record == nil {
		return
	}
	h.Recent.Add(confidence, wrong)
	if n := h.Recent.Len(); n >= 16 && n >= 2*h.Record.Len() {
		latest := h.Recent
		h.Record, h.Recent = &latest, selective.Record{}
	}
}

// Threshold returns the smallest [Decision.Confidence] at which, with the given confidence, at most the given
// share of predictions is wrong, see [selective.Record.Threshold]; +Inf if there is none. The threshold holds
// for new examples like the learned ones. Without a record it returns an error.
func (h *History) Threshold(share, confidence float64) (float64, error) {
	if h.Record == nil {
		return math.NaN(), errors.New("classifier: no record of predictions before learning")
	}
	var whole selective.Record
	whole.Join(h.Record)
	whole.Join(&h.Recent)
	return whole.Threshold(share, confidence)
}

func (h *History) validate(inputs int) error {
	if h.Familiar != nil && len(h.Familiar.Low) != inputs {
		return fmt.Errorf("the familiarity of %d inputs, for a model with %d", len(h.Familiar.Low), inputs)
	}
	if h.Record == nil {
		return nil
	}
	return cmp.Or(h.Record.Validate(), h.Recent.Validate())
}

// familiarity returns a p-value of the hypothesis that x, whose most probable class is given, is like the
// learned inputs. The input distribution gives one p-value, a model that is an output layer another. The
// result is twice the smaller of two p-values (Bonferroni), and 1 if there is none.
func (h *History) familiarity(m bnn.Model, x []float64, class int) float64 {
	p := []float64{1}
	if h.Familiar != nil {
		p = append(p, h.Familiar.P(x))
	}
	if f, ok := m.(features.Model); ok {
		z := make([]float64, f.Size)
		_ = f.Standard(z, x) // no error: the prediction has checked x
		m, x = f.Model, z
	}
	if l, ok := m.(*readout.Layer); ok {
		by, _, err := l.Familiarity([][]float64{x}, []int{class})
		if err == nil && !math.IsNaN(by[0]) { // NaN: too few examples of the class
			p = append(p, by[0])
		}
	}
	return min(1, float64(max(1, len(p)-1))*slices.Min(p))
}
