// Package compare is the study of small real data sets: methods learn the same
// splits of the same sets, each with hyper-parameters that are chosen on a part of
// the training examples.
package compare

import (
	"cmp"
	"context"
	"slices"

	"closedform/internal/field"
	"closedform/runner/internal/config"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "compare",
	Asks: "How do the network and other methods score on real data, chosen on equal terms?",
	New: study.Decoded(func(*config.Manifest) *experiment {
		return &experiment{Compare: settings{Validation: 0.2}, Model: learner.DefaultModel()}
	}),
}

type experiment struct {
	Compare settings `toml:"compare"`
	study.Swept
	data.Sources
	Model   learner.Model `toml:"model"`
	Methods []method      `toml:"method" inherit:"model" allowed:"at least one table headed [[method]]"`

	Contrasts []contrast `toml:"contrast,omitempty"`

	classes int // most classes of a set; 0 before Prepare
}

type settings struct {
	Budget     int     `toml:"budget" allowed:"1 to 100"`                    // the most candidates of a method
	Validation float64 `toml:"validation"`                                   // share of the training examples by which candidates are judged
	Reference  string  `toml:"reference" allowed:"the name of a [[method]]"` // the method that others are compared with
	SplitsOf   string  `toml:"splits_of,omitempty"`                          // the name of the experiment that has the same random numbers; its own

	// LeaveOut names methods one of which is chosen for each set by its mean log loss over the others.
	LeaveOut []string `toml:"leave_out,omitempty"`
}

// method learns the sets.
type method struct {
	learner.Method
	Splits int `toml:"splits,omitzero"` // how many of the seeds it learns a set with, at most; 0: all
}

// learners returns the methods.
func (e *experiment) learners() []learner.Method {
	var all []learner.Method
	for _, m := range e.Methods {
		all = append(all, m.Method)
	}
	return all
}

func (e *experiment) Validate() error {
	c := e.Compare
	for _, s := range e.Sets {
		if s.Name == allSets {
			return field.Errorf("set."+s.Name+".name", "allowed: a name other than %s", allSets)
		}
	}
	for _, m := range e.Methods {
		if m.Splits < 0 || m.Splits > 0 && m.Name == c.Reference {
			return field.Errorf("method."+m.Name+".splits", "%d is not allowed; allowed: 1 or more, or 0 for all, as for the reference", m.Splits)
		}
	}
	for _, name := range c.LeaveOut {
		if !e.named(name) || len(e.Sets) < 2 {
			return field.Errorf("compare.leave_out", "%q is not allowed; allowed: names of [[method]]s, with two or more sets", name)
		}
	}
	switch {
	case !e.named(c.Reference):
		return field.Errorf("compare.reference", "%q is not allowed; allowed: the name of a [[method]]", c.Reference)
	case !(0 < c.Validation && c.Validation < 1):
		return field.Errorf("compare.validation", "%g is not allowed; allowed: above 0 and below 1", c.Validation)
	}
	return cmp.Or(e.checkContrasts(), learner.Check(e.learners(), c.Budget, false))
}

// named reports whether there is a method of that name.
func (e *experiment) named(name string) bool {
	return slices.ContainsFunc(e.Methods, func(m method) bool { return m.Name == name })
}

func (e *experiment) Files() []string { return e.Paths(e.Manifest.Folder) }

func (e *experiment) Prepare(context.Context) error {
	if err := e.Load(e.Manifest); err != nil {
		return err
	}
	for _, s := range e.Sets {
		e.classes = max(e.classes, len(s.Classes()))
		if err := learner.Fit(e.Manifest, e.learners(), s.Inputs(), len(s.Classes())); err != nil {
			return err
		}
	}
	return nil
}

// Notes implements [study.Noted].
func (e *experiment) Notes(tables table.Set) []string { return learner.BrokenDown(tables.Get("runs")) }

var _ study.WithData = (*experiment)(nil)

var _ study.Noted = (*experiment)(nil)

var _ study.Timed = (*experiment)(nil)
