package learner

import (
	"errors"
	"fmt"
	"slices"

	"closedform/internal/field"
	"closedform/runner/internal/config"
	"closedform/runner/internal/data"
	"closedform/runner/internal/probit"
)

// Learners are the tables [model] and [[method]].
type Learners struct {
	Model   Model    `toml:"model"`
	Methods []Method `toml:"method" inherit:"model" allowed:"at least one table headed [[method]]"`
}

// OnSets are the tables [[set]], [model] and [[method]] of a study whose methods need not learn all sets.
type OnSets struct {
	data.Sources
	Model   Model    `toml:"model"`
	Methods []OfSets `toml:"method" inherit:"model" allowed:"at least one table headed [[method]]"`
}

// OfSets is a method that learns some sets.
type OfSets struct {
	Method
	Sets []string `toml:"sets,omitempty"` // the names of those that it learns; none: all
}

// Learns reports whether the method learns a set.
func (m OfSets) Learns(set data.Named) bool {
	return len(m.Sets) == 0 || slices.Contains(m.Sets, set.Name)
}

// Check returns an error, with its place in the manifest, if a method has a set that there is not, or
// is not for streams.
func (o *OnSets) Check() error {
	var names []string
	for _, s := range o.Sets {
		names = append(names, s.Name)
	}
	for _, m := range o.Methods {
		if err := field.AllOneOf("method."+m.Name+".sets", m.Sets, names...); err != nil {
			return err
		}
	}
	return Check(o.Methods, 0, true)
}

// Load reads the sets, and returns the error of the first method that does not fit one that it learns.
func (o *OnSets) Load(m *config.Manifest) error {
	if err := o.Sources.Load(m); err != nil {
		return err
	}
	for _, s := range o.Sets {
		learn := slices.DeleteFunc(slices.Clone(o.Methods), func(m OfSets) bool { return !m.Learns(s) })
		if err := Fit(m, learn, s.Inputs(), len(s.Classes())); err != nil {
			return err
		}
	}
	return nil
}

// Named is a [[method]] where all are networks. In a manifest it begins as a copy of [model].
type Named struct {
	Name string `toml:"name" allowed:"a text"`
	Kind string `toml:"kind,omitempty" json:"-"` // "closed-form" or empty
	Drawn
	Model
	Of string `toml:"-"` // of a model of [Sweep.Models]: the name of the method, without what is swept
}

// Validate reports what is not allowed.
func (n *Named) Validate() error {
	switch {
	case n.Kind != "" && n.Kind != "closed-form":
		return field.Errorf("kind", `%q is not allowed; allowed: "closed-form", as this study looks into networks`, n.Kind)
	case n.Features.Kind != "":
		return field.Errorf("features", "%q is not allowed; allowed: none, as this study looks into networks", n.Features.Kind)
	case n.Readout != "":
		return field.Errorf("output", "%q is not allowed; allowed: none, as this study looks into networks", n.Readout)
	}
	return n.Model.Validate()
}

// Sweep has the values that are swept, in place of those of every method.
type Sweep struct {
	Seed   config.Ints     `toml:"seed,omitempty"`
	Lambda []probit.Lambda `toml:"lambda,omitempty"`
	Rho    []float64       `toml:"rho,omitempty"`
}

// Models returns every method, or if there is none the model by the name "model", at
// every swept λ and ρ, the last changing fastest, with names as "joint lambda=0.1 rho=0.5", and the layers for points of the
// plane of so many classes.
func (s Sweep) Models(model Model, methods []Named, classes int) ([]Named, error) {
	if len(methods) == 0 {
		methods = []Named{{Name: "model", Model: model}}
	}
	var all []Named
	for _, v := range methods {
		v.Of = v.Name
		for i := range max(1, len(s.Lambda)) {
			for j := range max(1, len(s.Rho)) {
				m := v
				if s.Lambda != nil {
					m.Lambda = s.Lambda[i]
					m.Name += " lambda=" + m.Lambda.String()
				}
				if s.Rho != nil {
					m.Rho = s.Rho[j]
					m.Name += " rho=" + probit.Decimal(m.Rho)
				}
				err := m.Validate()
				if err == nil {
					m.Model, err = m.For(data.Inputs, classes)
				}
				if err != nil {
					if at, ok := errors.AsType[*field.Error](err); ok && at.Key == "rho" && s.Rho != nil {
						return nil, field.Errorf("sweep.rho", "%s", at.Problem)
					}
					return nil, m.in(err)
				}
				all = append(all, m)
			}
		}
	}
	return all, nil
}

// in says in which table of the manifest the field of an error is.
func (n *Named) in(err error) error {
	table := "method." + n.Of
	if n.Of == "model" {
		table = "model"
	}
	if at, ok := errors.AsType[*field.Error](err); ok {
		return field.Errorf(table+"."+at.Key, "%s", at.Problem)
	}
	return fmt.Errorf("%s: %w", n.Name, err)
}

// Networks says which networks learn: the tables [model], [sweep] and [[method]].
type Networks struct {
	Model   Model   `toml:"model"`
	Sweep   Sweep   `toml:"sweep"`
	Methods []Named `toml:"method" inherit:"model"`

	Seeds  []int   // those of the manifest, once resolved
	Models []Named // every method at everything that is swept
}

// Resolve sets Seeds and Models, which learn points of the plane of so many classes.
func (n *Networks) Resolve(m *config.Manifest, classes int) (err error) {
	if n.Seeds, err = m.Seeds(n.Sweep.Seed); err != nil {
		return err
	}
	n.Models, err = n.Sweep.Models(n.Model, n.Methods, classes)
	return m.Locate("", err)
}

// Names returns the names of methods.
func Names[M interface{ drawn() (string, Drawn) }](methods []M) (names []string) {
	for _, m := range methods {
		name, _ := m.drawn()
		names = append(names, name)
	}
	return names
}
