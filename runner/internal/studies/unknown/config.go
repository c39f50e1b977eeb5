// Package unknown studies the decision "unknown": what share of the test examples a classifier decides about,
// how many of these decisions are wrong, and whether it tells examples of other data, and of classes that were
// kept from its training, from those that it has learned.
package unknown

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"closedform/internal/field"
	"closedform/runner/internal/config"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "unknown",
	Asks: "How many examples are left undecided for how few mistakes, and is what was never learned told apart?",
	New: study.Decoded(func(*config.Manifest) *experiment {
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
	Methods []learner.Method `toml:"method" inherit:"model" allowed:"at least one table headed [[method]]"`
}

type settings struct {
	// Validation is the share of the training examples that thresholds are chosen by.
	Validation float64   `toml:"validation"`
	Wrong      []float64 `toml:"wrong" allowed:"shares of wrong decisions, each above 0 and below 1"`
	Thresholds []float64 `toml:"thresholds,omitempty"` // of the largest probability, beside those for Wrong

	// Promise has shares of wrong answers that a threshold promises with 95 % confidence.
	Promise []float64 `toml:"promise,omitempty" json:",omitempty"`
	Unseen  []string  `toml:"unseen,omitempty"` // classes that are kept from a second training

	Scores  []score `toml:"scores"`            // in the tables
	Combine []score `toml:"combine,omitempty"` // what combined is made of, of a method without an output layer
}

// outside is out-of-distribution data.
type outside struct {
	Name string `toml:"name" allowed:"a text"`
	Rows string `toml:"rows,omitempty" json:",omitempty"` // those that count, such as "1-500"; empty: all
	data.Files
	examples *data.Examples
}

// unseenClass names the test examples of the unseen classes, in the tables, beside the data of [[outside]].
const unseenClass = "unseen"

func (e *experiment) Validate() error {
	u := e.Unknown
	for _, o := range e.Outside {
		if o.Name == unseenClass {
			return field.Errorf("outside."+o.Name+".name", "allowed: a name other than %s", unseenClass)
		}
		if err := data.CheckRows("outside."+o.Name+".rows", o.Rows); err != nil {
			return err
		}
	}
	noLayer := func(m learner.Method) bool { return !m.OutputLayer() }
	switch {
	case slices.Contains(u.Combine, combined):
		return field.Errorf("unknown.combine", "allowed: scores other than %s", combined)
	case slices.Contains(u.Scores, combined) && len(u.Combine) == 0 && slices.ContainsFunc(e.Methods, noLayer):
		return field.Errorf("unknown.combine",
			"missing; allowed: the scores that %s is made of, of methods without an output layer", combined)
	}
	return cmp.Or(
		share("unknown.validation", u.Validation), share("unknown.wrong", u.Wrong...),
		share("unknown.promise", u.Promise...), field.AllWithin("unknown.thresholds", u.Thresholds, 0, 1),
		field.AllOneOf("unknown.scores", u.Scores, scores...), once("unknown.scores", u.Scores),
		field.AllOneOf("unknown.combine", u.Combine, scores...), once("unknown.combine", u.Combine),
		learner.Plain(e.Methods),
	)
}

// share returns an error unless every value is a share, neither none nor all.
func share(key string, values ...float64) error {
	for _, x := range values {
		if !(0 < x && x < 1) {
			return field.Errorf(key, "a share of %g; allowed: above 0 and below 1", x)
		}
	}
	return nil
}

// once returns an error if one of the scores is there twice.
func once(key string, scores []score) error {
	for i, s := range scores {
		if slices.Contains(scores[:i], s) {
			return field.Errorf(key, "%v is there twice", s)
		}
	}
	return nil
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
	if err := learner.Fit(e.Manifest, e.Methods, inputs, len(classes)); err != nil {
		return err
	}
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
			return e.Manifest.Errorf("unknown.unseen",
				"%s is not allowed; allowed: classes of the data, all but two or more: %s", class, strings.Join(classes, ", "))
		}
	}
	return nil
}

var _ study.WithData = (*experiment)(nil)
