// Package unknown is the study of the decision "unknown": what share of the test examples a classifier
// decides about and how many of these decisions are wrong, and whether it knows examples of other data,
// and of classes that it has never seen, from those that it has learned.
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
	New: func(m *config.Manifest) (_ study.Experiment, err error) {
		e := &experiment{manifest: m, Unknown: settings{
			Validation: 1. / 6, Scores: []score{probability, entropy, epistemic}, Score: entropy,
		}, Learners: learner.Learners{Model: learner.DefaultModel()}}
		if err = m.Decode(e); err == nil {
			if len(e.Inputs) == 0 {
				e.Inputs = []inputs{{Name: all}}
			}
			e.seeds, err = m.Seeds(e.Sweep.Seed)
		}
		return e, err
	},
}

type experiment struct {
	Data    data.Source  `toml:"data"`
	Unknown settings     `toml:"unknown"`
	Sweep   config.Sweep `toml:"sweep"`
	Outside []outside    `toml:"outside"`
	Near    []near       `toml:"near"`
	Inputs  []inputs     `toml:"inputs"`
	learner.Learners

	manifest *config.Manifest
	seeds    []int
}

type settings struct {
	Validation float64   `toml:"validation"`                                                          // share of the training examples that thresholds are chosen by
	Wrong      []float64 `toml:"wrong" allowed:"shares of wrong decisions, each above 0 and below 1"` // shares of wrong decisions that a threshold is chosen for
	Thresholds []float64 `toml:"thresholds,omitempty"`                                                // of the largest probability, beside those that are chosen
	Promise    []float64 `toml:"promise,omitempty" json:",omitempty"`                                 // shares of wrong answers that a threshold promises with 95 % confidence
	Unseen     []string  `toml:"unseen,omitempty"`                                                    // classes that are kept from a second training

	Scores  []score `toml:"scores"`            // in the tables
	Combine []score `toml:"combine,omitempty"` // what combined is made of, of a method without an output layer
	Score   score   `toml:"score"`             // the one that stands for all, where only one is shown
}

// outside is data of other classes, or of the same from elsewhere.
type outside struct {
	Name     string `toml:"name" allowed:"a text"`
	Labelled bool   `toml:"labelled,omitempty" json:",omitempty"` // it has the same classes
	Enlarge  int    `toml:"enlarge,omitempty" json:",omitempty"`  // see the function enlarged; 0: as they are
	Rows     string `toml:"rows,omitempty" json:",omitempty"`     // those that count, such as "1-500"; empty: all
	data.Files
	examples *data.Examples
}

// The names of data in the tables beside those of [[outside]].
const (
	testPart    = "test"   // the test part
	unseenClass = "unseen" // its examples of classes that were kept back
)

func (e *experiment) Validate() error {
	u := e.Unknown
	for _, o := range e.Outside {
		if o.Name == testPart || o.Name == unseenClass {
			return field.Errorf("outside."+o.Name+".name", "allowed: a name other than %s and %s", testPart, unseenClass)
		}
		if err := data.CheckRows("outside."+o.Name+".rows", o.Rows); err != nil {
			return err
		}
	}
	switch {
	case slices.Contains(u.Combine, combined):
		return field.Errorf("unknown.combine", "allowed: scores other than %s", combined)
	case slices.Contains(u.Scores, combined) && len(u.Combine) == 0:
		return field.Errorf("unknown.combine", "missing; allowed: the scores that %s is made of", combined)
	}
	var names, kinds []string
	for _, m := range e.Methods {
		names = append(names, m.Name)
	}
	for _, n := range e.Inputs {
		if e.Data.Images == "" && (n.Lit != 0 || n.Box != 0) {
			return field.Errorf("inputs."+n.Name, "allowed: with images only")
		}
		for _, name := range n.Methods {
			if !slices.Contains(names, name) {
				return field.Errorf("inputs."+n.Name+".methods", "%q is not allowed; allowed: %s", name, strings.Join(names, ", "))
			}
		}
	}
	for _, n := range e.Near {
		kinds = append(kinds, n.Kind)
	}
	return cmp.Or(
		share("unknown.validation", u.Validation), share("unknown.wrong", u.Wrong...), share("unknown.promise", u.Promise...),
		field.AllOneOf("unknown.scores", u.Scores, scores...), field.AllOneOf("unknown.combine", u.Combine, scores...),
		field.OneOf("unknown.score", u.Score, u.Scores...), once("unknown.scores", u.Scores), once("unknown.combine", u.Combine),
		once("near", kinds), learner.Check(e.Methods, 0, false), field.AllWithin("unknown.thresholds", u.Thresholds, 0, 1),
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

// once returns an error if one of the values is there twice.
func once[T comparable](key string, values []T) error {
	for i, v := range values {
		if slices.Contains(values[:i], v) {
			return field.Errorf(key, "%v is there twice", v)
		}
	}
	return nil
}

func (e *experiment) Files() []string {
	files := e.Data.Paths(e.manifest.Folder)
	for _, o := range e.Outside {
		files = append(files, o.Paths(e.manifest.Folder)...)
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
	if err := e.Data.Load(e.manifest.Folder); err != nil {
		return e.manifest.Locate("data", err)
	}
	inputs, classes := e.Data.Inputs(), e.Data.Classes()
	for i := range e.Outside {
		o := &e.Outside[i]
		if o.examples, err = o.Load(e.manifest.Folder); err != nil {
			return e.manifest.Locate("outside."+o.Name, err)
		}
		if o.examples, err = data.Rows(o.examples, o.Rows); err != nil {
			return e.manifest.Errorf("outside."+o.Name+".rows", "%v", err)
		}
		if o.Enlarge > 0 {
			full := side(inputs)
			if side(o.examples.Inputs()) == 0 || o.Enlarge > full {
				return e.manifest.Errorf("outside."+o.Name+".enlarge",
					"%d is not allowed; allowed: a side of up to %d, of square images", o.Enlarge, full)
			}
			o.examples = enlarged(o.examples, o.Enlarge, full)
		}
		if n := o.examples.Inputs(); n != inputs {
			return e.manifest.Errorf("outside."+o.Name, "%d inputs; allowed: %d, as [data] has", n, inputs)
		}
		if o.Labelled {
			if o.examples, err = e.Data.Align(o.examples); err != nil {
				return e.manifest.Errorf("outside."+o.Name+".labelled", "%v", err)
			}
		}
	}
	for _, n := range e.Inputs {
		if n.Box > side(inputs) {
			return e.manifest.Errorf("inputs."+n.Name+".box",
				"%d is not allowed; allowed: up to %d, the side of square images", n.Box, side(inputs))
		}
	}
	if len(e.Near) > 0 && side(inputs) == 0 {
		return e.manifest.Errorf("near", "%d inputs; allowed: square images", inputs)
	}
	for _, class := range e.Unknown.Unseen {
		if !slices.Contains(classes, class) || len(classes)-len(e.Unknown.Unseen) < 2 {
			return e.manifest.Errorf("unknown.unseen", "%s is not allowed; allowed: classes of the data, all but two or more: %s", class, strings.Join(classes, ", "))
		}
	}
	return learner.Fit(e.manifest, e.Methods, inputs, len(classes))
}

var _ study.WithData = (*experiment)(nil)
