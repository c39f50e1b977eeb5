package classifier

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/core/familiar"
	"closedform/core/features"
	"closedform/core/readout"
)

// History is what a [Classifier] keeps of the examples beside its model: the distribution of their inputs,
// and how each was predicted before it was learned. The zero value, for a model that was trained elsewhere,
// keeps nothing, and takes all inputs for familiar.
type History struct {
	Familiar *familiar.Inputs `json:"familiar,omitempty"` // nil: not kept

	// Record and Recent have the last half of the examples or more: early predictions are worse than
	// those to come. Without a Record none is kept.
	Record *bnn.TrackRecord `json:"record,omitempty"`
	Recent *bnn.TrackRecord `json:"recent,omitempty"` // those after Record
}

// NewHistory returns the history of no examples of so many inputs, at least 1.
func NewHistory(inputs int) *History {
	return &History{familiar.New(inputs), new(bnn.TrackRecord), new(bnn.TrackRecord)}
}

// Add adds an example with the probabilities p that it was predicted before the model learned it.
// [Classifier.Learn] does so; a program that trains the model itself calls Add in the first pass.
func (h *History) Add(x, p []float64, class int) {
	if h.Familiar != nil {
		_ = h.Familiar.Observe(x) // an input beyond ±1e100 is in no distribution
	}
	if h.Record == nil {
		return
	}
	if h.Recent == nil {
		h.Recent = new(bnn.TrackRecord)
	}
	h.Recent.Add(floats.Max(p), floats.MaxIdx(p) != class)
	if n := h.Recent.Len(); n >= 16 && n >= 2*h.Record.Len() {
		h.Record, h.Recent = h.Recent, new(bnn.TrackRecord)
	}
}

// Threshold returns the least [Decision.Probability] with which, with such a confidence, at most a share of
// the answers is wrong, see [bnn.TrackRecord.Threshold]; +Inf if there is none. New examples must be like
// those that were learned. Without a record it returns an error.
func (h *History) Threshold(share, confidence float64) (float64, error) {
	if h.Record == nil {
		return math.NaN(), errors.New("classifier: no record of predictions before learning")
	}
	var all bnn.TrackRecord
	all.Join(h.Record)
	if h.Recent != nil {
		all.Join(h.Recent)
	}
	return all.Threshold(share, confidence)
}

// validate returns an error unless the history fits a model with so many inputs.
func (h *History) validate(inputs int) error {
	if h.Familiar != nil && len(h.Familiar.Low) != inputs {
		return fmt.Errorf("the familiarity of %d inputs, for a model with %d", len(h.Familiar.Low), inputs)
	}
	for _, r := range []*bnn.TrackRecord{h.Record, h.Recent} {
		if r != nil {
			if err := r.Validate(); err != nil {
				return err
			}
		}
	}
	return nil
}

// layer is an output layer and the map of its inputs, if there is one.
type layer struct {
	*readout.Layer
	features *features.Map
}

// layerOf returns the output layer that a model is; the zero layer if it is none.
func layerOf(m bnn.Model) layer {
	switch m := m.(type) {
	case *readout.Layer:
		return layer{m, nil}
	case features.Model:
		if l, ok := m.Model.(*readout.Layer); ok {
			return layer{l, m.Map}
		}
	}
	return layer{}
}

// familiarity returns a p-value of the hypothesis that x, whose most probable class is given, is like the
// learned inputs. The distribution of the inputs gives one p-value and an output layer another; of two, the
// result is twice the smaller one (Bonferroni). It is 1 if there is neither.
func familiarity(f *familiar.Inputs, l layer, x []float64, class int) float64 {
	p, q := 1.0, math.NaN()
	if f != nil {
		p = f.P(x)
	}
	if l.Layer != nil {
		if l.features != nil {
			z := make([]float64, l.features.Size)
			_ = l.features.Standard(z, x) // an error was that of the prediction
			x = z
		}
		if all, _, err := l.Familiarity([][]float64{x}, []int{class}); err == nil {
			q = all[0]
		}
	}
	switch {
	case math.IsNaN(q): // no layer, or too few examples of the class
		return p
	case f == nil:
		return q
	}
	return min(1, 2*p, 2*q)
}
