// Package stability is the study of where the probit's covariance Σ_y of the probabilities is positive
// definite, which the paper's update takes for granted: over the gap between the largest logit and the
// next, and the variance that all logits have.
package stability

import (
	"closedform/internal/field"
	"closedform/runner/internal/config"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "stability",
	Asks: "Where is the probit's covariance of the probabilities positive definite?",
	New: study.Decoded(func(m *config.Manifest) *experiment {
		return &experiment{seeded: study.Seeded{Manifest: m.Name, Seed: m.Seed}, Stability: settings{Rho: 0.5}}
	}),
}

type experiment struct {
	study.Plain
	Stability settings `toml:"stability"`
	seeded    study.Seeded
}

type settings struct {
	Classes  config.Ints      `toml:"classes" allowed:"each 2 to 1,000"`                    // numbers of classes: 2 in closed form, others by sampling
	Lambda   []learner.Lambda `toml:"lambda" allowed:"numbers > 0, or words as in [model]"` // slopes λ of the probit
	Rho      float64          `toml:"rho"`                                                  // its correlation ρ
	Gap      []float64        `toml:"gap" allowed:"[low, high] with 0 ≤ low < high"`        // first and last distance of the largest mean logit from the next
	Variance []float64        `toml:"variance" allowed:"[low, high] with 0 < low < high"`   // lowest and highest variance of every logit, on a logarithmic axis
	Grid     int              `toml:"grid" allowed:"2 to 2,001"`                            // points of the maps along each axis
	Draws    int              `toml:"draws" allowed:"1 to 1,000,000"`                       // random logits, the same at all points
}

func (s *settings) Validate() error {
	switch {
	case len(s.Gap) != 2 || !(0 <= s.Gap[0] && s.Gap[0] < s.Gap[1]):
		return field.Errorf("gap", "%v is not allowed; allowed: [low, high] with 0 ≤ low < high", s.Gap)
	case len(s.Variance) != 2 || !(0 < s.Variance[0] && s.Variance[0] < s.Variance[1]):
		return field.Errorf("variance", "%v is not allowed; allowed: [low, high] with 0 < low < high", s.Variance)
	}
	return field.Fraction("rho", s.Rho)
}
