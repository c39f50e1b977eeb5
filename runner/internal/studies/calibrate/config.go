// Package calibrate is the study of the λ, and the λ and ρ, with which the probit
// function is closest to the softmax over a box of logits. Nothing in it is random.
package calibrate

import (
	"closedform/runner/internal/config"
	"closedform/runner/internal/study"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "calibrate",
	Asks: "Which λ, or λ and ρ, bring the probit nearest to the softmax?",
	New: study.Decoded(func(*config.Manifest) *experiment {
		return &experiment{Calibrate: settings{Rho: []float64{0.5}}}
	}),
}

type experiment struct {
	study.Plain
	Calibrate settings `toml:"calibrate"`
}

// settings keep to where a fit takes seconds: its work grows with the square of the box and like
// 1/(1−ρ). The mean square error over a smaller box than 0.1 is lost in rounding.
type settings struct {
	Classes config.Ints `toml:"classes" allowed:"each 2 to 1,000"` // numbers of classes
	Rho     []float64   `toml:"rho" allowed:"each 0 to 0.9"`       // correlations ρ for which λ alone is fitted
	Box     float64     `toml:"box" allowed:"0.1 to 4"`            // the logits are in [−box, box]
}
