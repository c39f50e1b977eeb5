// Package discover is the study of streams in which new classes turn up: the learner answers or says
// unknown; each unknown buys the label, and a class that was not there becomes one at once.
package discover

import (
	"cmp"
	"context"

	"closedform/internal/field"
	"closedform/runner/internal/config"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "discover",
	Asks: "How soon does a learner that buys the labels of what is unknown to it answer new classes, and for how many labels?",
	New: study.Decoded(func(*config.Manifest) *experiment {
		return &experiment{Discover: settings{Start: 2, Block: 100, Every: 1, Threshold: 0.9, Tail: 0.02, Audit: 0.02}, OnSets: learner.OnSets{Model: learner.DefaultModel()}}
	}),
}

type experiment struct {
	Discover settings `toml:"discover"`
	study.Swept
	learner.OnSets
}

type settings struct {
	Examples  int     `toml:"examples"`  // of the stream at most
	Start     int     `toml:"start"`     // classes that there are from the first example on
	Block     int     `toml:"block"`     // examples whose numbers are averaged
	Every     int     `toml:"every"`     // labels that were bought are learned after every so many examples, a new class at once
	Threshold float64 `toml:"threshold"` // unknown is what has no larger probability,
	Tail      float64 `toml:"tail"`      // or a smaller p-value of being like what was learned
	Audit     float64 `toml:"audit"`     // share of all labels that are bought at random beside these: what is answered is never learned else
}

func (e *experiment) Validate() error {
	d := e.Discover
	for _, m := range e.Methods {
		if !m.ClosedForm() {
			return field.Errorf("method."+m.Name+".kind", `%q is not allowed; allowed: "closed-form", to which classes can be added`, m.Kind)
		}
	}
	switch {
	case d.Start < 2:
		return field.Errorf("discover.start", "%d is not allowed; allowed: 2 or more", d.Start)
	case d.Block < 1 || d.Every < 1 || d.Examples < 1:
		return field.Errorf("discover", "examples = %d, block = %d, every = %d are not allowed; allowed: 1 or more", d.Examples, d.Block, d.Every)
	}
	return cmp.Or(field.Within("discover.threshold", d.Threshold, 0, 1), field.Within("discover.tail", d.Tail, 0, 1), field.Within("discover.audit", d.Audit, 0, 1), e.Check())
}

func (e *experiment) Files() []string { return e.Paths(e.Manifest.Folder) }

func (e *experiment) Prepare(context.Context) error {
	if err := e.Load(e.Manifest); err != nil {
		return err
	}
	for _, s := range e.Sets {
		if n := len(s.Classes()); n <= e.Discover.Start {
			return e.Manifest.Errorf("discover.start", "%d is not allowed; allowed: fewer than the %d classes of %s", e.Discover.Start, n, s.Name)
		}
	}
	return nil
}

func (e *experiment) Notes(tables table.Set) []string { return learner.BrokenDown(tables.Get("runs")) }

var _ study.WithData = (*experiment)(nil)
