// Package unknown studies the decision "unknown": how many examples a classifier leaves undecided for how few
// wrong decisions, and whether its confidence tells out-of-distribution inputs, and classes that it was not
// trained on, from those that it was.
package unknown

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"closedform/internal/field"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/study"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "unknown",
	Asks: "How well does it abstain, and detect unfamiliar inputs?",
	New: study.Decoded(func(*manifest.Manifest) *experiment {
		u := settings{Validation: 1. / 6, Scores: []score{probability, entropy}}
		return &experiment{Unknown: u, Model: learner.DefaultModel()}
	}),
}

type experiment struct {
	Data    data.Source `toml:"data"`
	Unknown settings    `toml:"unknown"`
	Outside []outside   `toml:"outside"`
	study.Swept
	Model   learner.Model    `toml:"model"`
	Chosen  study.Chosen     `toml:"figures,omitzero"`
	Methods []learner.Method `toml:"method" inherit:"model" allowed:"at least one table headed [[method]]"`
}

type settings struct {
	Validation float64   `toml:"validation"` // share of the training examples that thresholds are chosen by
	Wrong      []float64 `toml:"wrong" allowed:"shares of wrong decisions, each above 0 and below 1"`
	Thresholds []float64 `toml:"thresholds,omitempty"` // of the largest probability, beside those for Wrong

	// Promise has shares of wrong answers that a threshold promises with 95 % confidence.
	Promise []float64 `toml:"promise,omitempty" json:",omitempty"`
	Unseen  []string  `toml:"unseen,omitempty"` // classes that are kept from a second training
	Scores  []score   `toml:"scores"`           // that the tables have
}

// outside is out-of-distribution data.
type outside struct {
	Name string `toml:"name" allowed:"a text"`
	Rows string `toml:"rows,omitempty" json:",omitempty"` // those that are taken, such as "1-500"; empty: all
	data.Files
	examples *data.Examples
}

// Validate reports what is not allowed.
func (o outside) Validate() error { return cmp.Or(data.CheckRows("rows", o.Rows), o.Files.Validate()) }

func (e *experiment) Validate() error {
	u, smallest := e.Unknown, 1e-6
	return cmp.Or(
		field.Within("unknown.validation", u.Validation, smallest, 1-smallest),
		field.AllWithin("unknown.wrong", u.Wrong, smallest, 1-smallest),
		field.AllWithin("unknown.promise", u.Promise, smallest, 1-smallest),
		field.AllWithin("unknown.thresholds", u.Thresholds, 0, 1),
		field.AllOneOf("unknown.scores", u.Scores, scores...), field.Distinct("unknown.scores", u.Scores),
		field.Distinct("unknown.wrong", u.Wrong), field.Distinct("unknown.promise", u.Promise),
		field.Distinct("unknown.thresholds", u.Thresholds), field.Distinct("unknown.unseen", u.Unseen),
		learner.Plain(e.Methods), e.Chosen.Check(learner.Names(e.Methods)...),
	)
}

func (e *experiment) Files() []string {
	files := e.Data.Paths(e.Manifest.Folder)
	for _, o := range e.Outside {
		files = append(files, o.Paths(e.Manifest.Folder)...)
	}
	return files
}

func (e *experiment) About() []string {
	lines := e.Data.About()
	for _, o := range e.Outside {
		lines = append(lines, o.examples.About())
	}
	return lines
}

func (e *experiment) Prepare(context.Context) (err error) {
	if err := e.Data.Load(e.Manifest.Folder); err != nil {
		return e.Manifest.Locate("data", err)
	}
	inputs, classes := e.Data.Inputs(), e.Data.Classes()
	for i := range e.Outside {
		o := &e.Outside[i]
		if o.examples, err = o.Load(e.Manifest.Folder, nil); err != nil {
			return e.Manifest.Locate("outside."+o.Name, err)
		}
		if o.examples, err = data.Rows(o.examples, o.Rows); err != nil {
			return e.Manifest.Errorf("outside."+o.Name+".rows", "%v", err)
		}
		if n := o.examples.Inputs(); n != inputs {
			return e.Manifest.Errorf("outside."+o.Name, "%d inputs; allowed: %d, as [data] has", n, inputs)
		}
	}
	for _, class := range e.Unknown.Unseen {
		if !slices.Contains(classes, class) || len(classes)-len(e.Unknown.Unseen) < 2 {
			return e.Manifest.Errorf("unknown.unseen", "%s is not allowed; allowed: classes of the data, "+
				"all but two or more: %s", class, strings.Join(classes, ", "))
		}
	}
	return learner.Fit(e.Manifest, e.Methods, inputs, len(classes))
}

var _ study.WithData = (*experiment)(nil)
