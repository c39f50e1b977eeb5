// Package ablation is the study of the two parameters of the probit: how the error of
// its moments, and the learning of networks, depend on λ and ρ.
package ablation

import (
	"context"
	"slices"

	"closedform/core/field"
	"closedform/runner/internal/config"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "ablation",
	Asks: "How do the error of the moments, and learning, depend on λ and ρ?",
	New: func(m *config.Manifest) (study.Experiment, error) {
		e := &experiment{header: m.Header, Ablation: settings{Unequal: 0.5}, Model: learner.DefaultModel()}
		if err := m.Decode(e); err != nil {
			return nil, err
		}
		var err error
		if e.seeds, err = m.Seeds(e.Sweep.Seed); err != nil {
			return nil, err
		}
		e.Data.Generator = e.Data.WithDefaults()
		for _, l := range e.Sweep.Lambda {
			e.lambda = append(e.lambda, l.Number)
		}
		slices.Sort(e.lambda)
		slices.Sort(e.Sweep.Rho)
		if e.models, err = (learner.Sweep{Rho: e.Sweep.Rho}).Models(e.Model, e.Variants); err == nil {
			e.models, err = learner.Fit(e.models, data.Inputs, e.Data.Task().Classes)
		}
		return e, m.Locate("", err)
	},
}

type experiment struct {
	Ablation settings    `toml:"ablation"`
	Data     data.Sample `toml:"data"`
	Evaluate struct {
		Grid int `toml:"grid"` // points along each axis at which networks are looked at
	} `toml:"evaluate"`
	Model    learner.Model     `toml:"model"`
	Variants []learner.Variant `toml:"variant" inherit:"model"`
	Sweep    learner.Sweep     `toml:"sweep"`

	header config.Header
	seeds  []int
	lambda []float64         // ascending
	models []learner.Variant // at every ρ, ascending
}

// settings are the random logits.
type settings struct {
	Classes  config.Ints `toml:"classes"`  // numbers of classes
	Spread   float64     `toml:"spread"`   // standard deviation of the means
	Variance float64     `toml:"variance"` // mean variance
	Unequal  float64     `toml:"unequal"`  // variances are uniform on variance·[1−unequal, 1+unequal]
	Draws    int         `toml:"draws"`    // of each number of classes
}

// Validate reports what is not allowed.
func (s *settings) Validate() error {
	if len(s.Classes) == 0 || slices.Min(s.Classes) < 2 || slices.Max(s.Classes) > config.MaxClasses {
		return field.Errorf("classes", "%v is not allowed; allowed: at least one, each 2 to %d", s.Classes, config.MaxClasses)
	}
	if !(0 <= s.Unequal && s.Unequal < 1) {
		return field.Errorf("unequal", "%g is not allowed; allowed: a number ≥ 0 and < 1", s.Unequal)
	}
	for key, x := range map[string]float64{"spread": s.Spread, "variance": s.Variance} {
		if err := field.Within(key, x, 0, 1e30); err != nil {
			return err
		}
	}
	return field.Within("draws", s.Draws, 1, config.MaxDraws)
}

// Validate reports what is not allowed. A map has two axes, of λ and of ρ, which are
// nowhere else.
func (e *experiment) Validate() error {
	if len(e.Sweep.Lambda) < 2 || slices.ContainsFunc(e.Sweep.Lambda, func(l learner.Lambda) bool { return l.Word != "" }) {
		return field.Errorf("sweep.lambda", "%v is not allowed; allowed: at least two numbers", e.Sweep.Lambda)
	}
	if len(e.Sweep.Rho) < 2 {
		return field.Errorf("sweep.rho", "%v is not allowed; allowed: at least two numbers", e.Sweep.Rho)
	}
	standard := learner.DefaultModel()
	for _, v := range append(e.Variants, learner.Variant{Model: e.Model}) {
		key := "model"
		if v.Name != "" {
			key = "variant." + v.Name
		}
		switch {
		case v.Lambda != standard.Lambda:
			return field.Errorf(key+".lambda", "sweep.lambda takes its place; allowed: to leave it out")
		case v.Rho != standard.Rho:
			return field.Errorf(key+".rho", "sweep.rho takes its place; allowed: to leave it out")
		}
	}
	return field.Within("evaluate.grid", e.Evaluate.Grid, 2, config.MaxGrid)
}

func (e *experiment) Config() any                   { return e }
func (e *experiment) Prepare(context.Context) error { return nil }

func (e *experiment) Tables(cells []table.Set) (table.Set, error) { return table.Merge(cells) }

var _ study.Experiment = (*experiment)(nil)
