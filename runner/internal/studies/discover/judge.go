package discover

import (
	"gonum.org/v1/gonum/floats"

	"closedform/core/familiar"
	"closedform/runner/internal/learner"
)

// judge says what is unknown to a learner: an input that no class is probable enough for, or
// that is unlike what was learned, by the kept examples of a readout, else by the inputs.
type judge struct {
	settings
	learner *learner.Tolerant
	inputs  *familiar.Inputs
	layer   bool // of the learner
}

func newJudge(l *learner.Tolerant, inputs int, s settings) *judge {
	return &judge{s, l, familiar.New(inputs), l.Readout() != nil}
}

// observe has the learner learn an example.
func (j *judge) observe(x []float64, class int) error {
	if err := j.learner.Observe(x, class); err != nil || j.layer {
		return err
	}
	return j.inputs.Observe(x)
}

// few examples of a class say too little of what is like them.
const few = 10

func (j *judge) unknown(x, p []float64) (bool, error) {
	if floats.Max(p) < j.Threshold {
		return true, nil
	}
	if !j.layer {
		return j.inputs.P(x) < j.Tail, nil
	}
	tail, kept, err := j.learner.Tail(x)
	return kept < few || tail < j.Tail, err
}
