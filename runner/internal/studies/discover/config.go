// Package discover is the study of streams in which new classes turn up: the learner answers or says
// unknown; each unknown buys the label, and a class that was not there becomes one at once.
package discover

import (
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
	Examples  int     `toml:"examples" allowed:"1 to 1,000,000"` // of the stream at most
	Start     int     `toml:"start" allowed:"2 to 4,096"`        // classes that there are from the first example on
	Block     int     `toml:"block" allowed:"1 to 1,000,000"`    // examples whose numbers are averaged
	Every     int     `toml:"every" allowed:"1 to 1,000,000"`    // labels that were bought are learned after every so many examples, a new class at once
	Threshold float64 `toml:"threshold" allowed:"0 to 1"`        // unknown is what has no larger probability,
	Tail      float64 `toml:"tail" allowed:"0 to 1"`             // or a smaller p-value of being like what was learned
	Audit     float64 `toml:"audit" allowed:"0 to 1"`            // share of all labels that are bought at random beside these: what is answered is never learned else
}

func (e *experiment) Validate() error {
	for _, m := range e.Methods {
		if !m.ClosedForm() {
			return field.Errorf("method."+m.Name+".kind", `%q is not allowed; allowed: "closed-form", to which classes can be added`, m.Kind)
		}
	}
	return e.Check()
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
