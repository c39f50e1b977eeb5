// Package learn is the study of how networks learn, example after example: on the
// plane as in Section 5 of the paper, where their predictions are mapped, checked by
// Monte Carlo and held against what the paper says; and along the training part of
// any data, next to other methods, where all are scored on the test part.
package learn

import (
	"slices"
	"strings"

	"closedform/core/field"
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
		return h.experiment, h.experiment.setUp(m)
	},
}

// half decodes either half of the study: that on the plane where evaluate.grid is
// given, else that along a stream.
type half struct {
	experiment interface {
		study.Experiment
		setUp(*config.Manifest) error
	}
}

// Extend implements [config.Extended].
func (h *half) Extend(table map[string]any) (any, error) {
	evaluate, _ := table["evaluate"].(map[string]any)
	if _, ok := evaluate["grid"]; ok {
		h.experiment = &plane{Model: learner.DefaultModel(), MonteCarlo: monteCarlo{Samples: 10000, Stride: 4}}
	} else {
		h.experiment = &stream{Model: learner.DefaultModel(), Evaluate: course{Passes: 1, Predictions: true}}
	}
	return h.experiment, nil
}

// increasing returns an error unless the numbers of examples are strictly
// increasing, from 1 to most.
func increasing(snapshots []int, most int) error {
	for i, k := range snapshots {
		if k < 1 || k > most || i > 0 && k <= snapshots[i-1] {
			return field.Errorf("snapshots", "%v is not allowed; allowed: strictly increasing, 1 to %d training examples", snapshots, most)
		}
	}
	return nil
}

// claim is a sentence that is measured by a statistic.
type claim struct {
	Claim     string  `toml:"claim"`
	Statistic string  `toml:"statistic"`
	Threshold float64 `toml:"threshold"` // where the verdict changes
}

// Validate reports what is not allowed.
func (c *claim) Validate() error {
	var names []string
	for _, s := range statistics {
		names = append(names, s.name)
	}
	if !slices.Contains(names, c.Statistic) {
		return field.Errorf("statistic", "%q is not allowed; allowed: %s", c.Statistic, strings.Join(names, ", "))
	}
	if c.Claim == "" {
		return field.Errorf("claim", "missing; allowed: a sentence")
	}
	return nil
}

// drawing is a page of maps of a variant.
type drawing struct {
	Kind    string `toml:"kind"` // maps
	Variant string `toml:"variant"`
	Single  bool   `toml:"single"` // whether each map is written to a file of its own, too
}

// Validate reports what is not allowed.
func (d *drawing) Validate() error {
	if d.Kind != "maps" {
		return field.Errorf("kind", `%q is not allowed; allowed: "maps"`, d.Kind)
	}
	return nil
}
