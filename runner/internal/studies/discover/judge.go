package discover

import (
	"gonum.org/v1/gonum/floats"

	"closedform/core/familiar"
	"closedform/core/features"
	"closedform/core/readout"
	"closedform/runner/internal/learner"
)

// judge says what is unknown to a learner: an input that no class is probable enough for, or
// that is unlike what was learned, by the kept examples of a readout, else by the inputs.
type judge struct {
	settings
	learner  *learner.Tolerant
	inputs   *familiar.Inputs
	layer    *readout.Layer
	features *features.Map // in front of the layer; nil: none
	z        []float64
}

func newJudge(l *learner.Tolerant, inputs int, s settings) *judge {
	j := &judge{settings: s, learner: l, inputs: familiar.New(inputs)}
	j.layer, j.features = l.Readout()
	if j.features != nil {
		j.z = make([]float64, j.features.Size)
	}
	return j
}

// observe has the learner learn an example.
func (j *judge) observe(x []float64, class int) error {
	if err := j.learner.Observe(x, class); err != nil || j.layer != nil {
		return err
	}
	return j.inputs.Observe(x)
}

func (j *judge) unknown(x, p []float64) (bool, error) {
	if floats.Max(p) < j.Threshold {
		return true, nil
	}
	if j.layer == nil {
		return j.inputs.P(x) < j.Tail, nil
	}
	if j.features != nil {
		j.features.Apply(j.z, x)
		x = j.z
	}
	tail, err := j.layer.Tail(x)
	return tail < j.Tail, err
}
