// Package ablation is the study of the two parameters of the probit: how the error of
// its moments, and the learning of networks, depend on λ and ρ.
package ablation

import (
	"cmp"
	"context"
	"slices"

	"closedform/internal/field"
	"closedform/runner/internal/config"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "ablation",
	Asks: "How do the error of the moments, and learning, depend on λ and ρ?",
	New: study.Decoded(func(m *config.Manifest) *experiment {
		return &experiment{manifest: m, Ablation: settings{Unequal: 0.5}, Model: learner.DefaultModel()}
	}),
}

type experiment struct {
	study.Plain
	Ablation settings        `toml:"ablation"`
	Data     source          `toml:"data"`
	Model    learner.Model   `toml:"model"`
	Sweep    sweep           `toml:"sweep"`
	Methods  []learner.Named `toml:"method" inherit:"model"`
	Evaluate struct {
		Grid int `toml:"grid,omitzero"` // of a generator: points along each axis at which networks are looked at; 21
	} `toml:"evaluate"`

	manifest    *config.Manifest
	networks    learner.Networks // every method at every ρ: a cell has all λ
	lambda, rho []float64        // ascending
}

// sweep has the axes of the maps.
type sweep struct {
	Seed   config.Ints      `toml:"seed,omitempty"`
	Lambda []learner.Lambda `toml:"lambda" allowed:"two or more numbers > 0"`
	Rho    []float64        `toml:"rho" allowed:"two or more numbers ≥ 0 and < 1"`
}

// source has the examples of a generator, where networks are looked at on a grid of the
// plane, or of files, which have a test part.
type source struct{ data.Source }

func (s source) Validate() error {
	if s.Name == "" {
		return s.Source.Validate()
	}
	if s.File != "" || s.Images != "" || s.Test != 0 || s.Scale != "" {
		return field.Errorf("generator", "%q is not allowed; allowed: with train, without files, test and scale", s.Name)
	}
	return s.Sample.Validate()
}

// settings are the random logits.
type settings struct {
	Classes  config.Ints `toml:"classes" allowed:"each 2 to 1,000"` // numbers of classes
	Spread   float64     `toml:"spread" allowed:"0 to 1e30"`        // standard deviation of the means
	Variance float64     `toml:"variance" allowed:"0 to 1e30"`      // mean variance
	Unequal  float64     `toml:"unequal" allowed:"0 to 0.999"`      // variances are uniform on variance·[1−unequal, 1+unequal]
	Draws    int         `toml:"draws" allowed:"1 to 1,000,000"`    // of each number of classes
}

// Validate reports what is not allowed. A map has two axes, of λ and of ρ, which are set nowhere else.
func (e *experiment) Validate() error {
	s := e.Sweep
	fewest, most := 2, config.MaxGrid
	switch {
	case e.Data.Name == "":
		fewest, most = 0, 0
	case e.Evaluate.Grid == 0:
		fewest = 0 // SetUp sets it
	}
	err := cmp.Or(field.Within("evaluate.grid", e.Evaluate.Grid, fewest, most), several("sweep.lambda", s.Lambda), several("sweep.rho", s.Rho))
	for _, l := range s.Lambda {
		if l.Word != "" {
			err = cmp.Or(err, field.Errorf("sweep.lambda", "%q has no place on the axis of the maps; allowed: numbers > 0", l.Word))
		}
	}
	standard := learner.DefaultModel()
	for _, v := range append(slices.Clone(e.Methods), learner.Named{Model: e.Model}) {
		if v.Lambda != standard.Lambda || v.Rho != standard.Rho {
			err = cmp.Or(err, field.Errorf("sweep", "takes the place of lambda and rho of %s; allowed: to leave these out", cmp.Or(v.Name, "model")))
		}
	}
	return err
}

// several returns an error unless there are two values or more.
func several[T any](key string, values []T) error {
	if len(values) < 2 {
		return field.Errorf(key, "%v is not allowed; allowed: two or more values", values)
	}
	return nil
}

// SetUp makes the models of every method and ρ.
func (e *experiment) SetUp(m *config.Manifest) error {
	for _, l := range e.Sweep.Lambda {
		e.lambda = append(e.lambda, l.Number)
	}
	slices.Sort(e.lambda)
	e.rho = slices.Sorted(slices.Values(e.Sweep.Rho))
	e.networks = learner.Networks{Model: e.Model, Sweep: learner.Sweep{Seed: e.Sweep.Seed, Rho: e.rho}, Methods: e.Methods}
	if err := e.networks.Resolve(m); e.Data.Name == "" || err != nil {
		return err
	}
	e.Data.Generator, e.Evaluate.Grid = e.Data.Generator.WithDefaults(), cmp.Or(e.Evaluate.Grid, 21)
	return e.networks.Fit(m, data.Inputs, e.Data.Task().Classes)
}

func (e *experiment) Files() []string { return e.Data.Paths(e.manifest.Folder) }

func (e *experiment) About() []string { return e.Data.About() }

func (e *experiment) Prepare(context.Context) error {
	if e.Data.Name != "" {
		return nil
	}
	if err := e.Data.Load(e.manifest.Folder); err != nil {
		return e.manifest.Locate("data", err)
	}
	return e.networks.Fit(e.manifest, e.Data.Inputs(), len(e.Data.Classes()))
}

var _ study.WithData = (*experiment)(nil)
