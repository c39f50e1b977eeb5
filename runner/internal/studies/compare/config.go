// Package compare is the study of small real data sets: methods learn the same
// splits of the same sets, each with hyper-parameters that are chosen on a part of
// the training examples.
package compare

import (
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
	New: func(m *config.Manifest) (_ study.Experiment, err error) {
		e := &experiment{manifest: m, Compare: settings{Validation: 0.2}, Model: learner.DefaultModel()}
		if err = m.Decode(e); err == nil {
			e.seeds, err = m.Seeds(e.Sweep.Seed)
		}
		return e, err
	},
}

type experiment struct {
	Compare settings      `toml:"compare"`
	Sweep   config.Sweep  `toml:"sweep"`
	Sets    []set         `toml:"set" allowed:"at least one table headed [[set]]"`
	Model   learner.Model `toml:"model"`
	Methods []method      `toml:"method" inherit:"model" allowed:"at least one table headed [[method]]"`

	manifest *config.Manifest
	seeds    []int
	classes  int // most classes of a set; 0 before Prepare
}

type settings struct {
	Budget     int     `toml:"budget" allowed:"1 to 100"`                    // the most candidates of a method
	Validation float64 `toml:"validation"`                                   // share of the training examples by which candidates are judged
	Reference  string  `toml:"reference" allowed:"the name of a [[method]]"` // the method that others are compared with
	SplitsOf   string  `toml:"splits_of,omitempty"`                          // the name of the experiment that has the same random numbers; its own
}

// set is a source of examples.
type set struct {
	Name string `toml:"name" allowed:"a text"`
	data.Source
	Splits int `toml:"splits,omitzero"` // with how many of the seeds it is learned, at most; 0: all
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
		if s.Name == allSets || s.Splits < 0 {
			return field.Errorf("set."+s.Name+".name", "allowed: a name other than %s, and splits ≥ 0", allSets)
		}
	}
	for _, m := range e.Methods {
		if m.Splits < 0 || m.Splits > 0 && m.Name == c.Reference {
			return field.Errorf("method."+m.Name+".splits", "%d is not allowed; allowed: 1 or more, or 0 for all, as for the reference", m.Splits)
		}
	}
	switch {
	case !slices.ContainsFunc(e.Methods, func(m method) bool { return m.Name == c.Reference }):
		return field.Errorf("compare.reference", "%q is not allowed; allowed: the name of a [[method]]", c.Reference)
	case !(0 < c.Validation && c.Validation < 1):
		return field.Errorf("compare.validation", "%g is not allowed; allowed: above 0 and below 1", c.Validation)
	}
	return learner.Check(e.learners(), c.Budget, false)
}

func (e *experiment) Files() []string {
	var files []string
	for _, s := range e.Sets {
		files = append(files, s.Paths(e.manifest.Folder)...)
	}
	return files
}

// About implements [study.WithData].
func (e *experiment) About() (lines []string) {
	for _, s := range e.Sets {
		lines = append(lines, s.About()...)
	}
	return lines
}

func (e *experiment) Prepare(context.Context) error {
	for i := range e.Sets {
		s := &e.Sets[i]
		if err := e.manifest.Locate("set."+s.Name, s.Load(e.manifest.Folder)); err != nil {
			return err
		}
		e.classes = max(e.classes, len(s.Classes()))
		if err := learner.Fit(e.manifest, e.learners(), s.Inputs(), len(s.Classes())); err != nil {
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
