// Package learn is the study of how networks learn, example after example: on the
// plane as in Section 5 of the paper, where their predictions are mapped and
// checked by Monte Carlo; and along the training part of any data, next to other
// methods, where all are scored on the test part.
package learn

import (
	"closedform/runner/internal/config"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "learn",
	Asks: "How do networks learn, one example after another, and what do they say meanwhile?",
	New: func(m *config.Manifest) (study.Experiment, error) {
		var h half
		if err := m.Decode(&h); err != nil {
			return nil, err
		}
		return h.experiment, h.experiment.SetUp(m)
	},
}

// half decodes either half of the study: that on the plane where evaluate.grid is
// given, else that along a stream.
type half struct {
	experiment interface {
		study.Experiment
		SetUp(*config.Manifest) error
	}
}

// Extend implements [config.Extended].
func (h *half) Extend(table map[string]any) (any, error) {
	evaluate, _ := table["evaluate"].(map[string]any)
	if _, ok := evaluate["grid"]; ok {
		h.experiment = &plane{Networks: learner.Networks{Model: learner.DefaultModel()}, MonteCarlo: monteCarlo{Samples: 10000, Stride: 4}}
	} else {
		h.experiment = &stream{Model: learner.DefaultModel(), Evaluate: course{Passes: 1, Shuffle: true}}
	}
	return h.experiment, nil
}
