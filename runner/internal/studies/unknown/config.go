// Package unknown has two studies. One is of the decision "unknown": what share of the test examples a classifier
// decides about and how many of these decisions are wrong, and whether it knows examples of other data,
// and of classes that it has never seen, from those that it has learned. The other one, open_set, is of open-set
// recognition: methods learn some classes of a data set, and are to tell test examples of these from those of the
// other classes.
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
		return &experiment{Unknown: settings{Validation: 1. / 6, Scores: []score{probability, entropy}, Score: entropy}, OnData: newOnData()}
	}),
}

type experiment struct {
	OnData
	Unknown settings  `toml:"unknown"`
	Outside []outside `toml:"outside"`
	Near    []near    `toml:"near"`
	Inputs  []inputs  `toml:"inputs"`
}

// OnData has what both studies have: methods, and the data that they learn.
type OnData struct {
	Data data.Source `toml:"data"`
	study.Swept
	learner.Learners
}

func newOnData() OnData { return OnData{Learners: learner.Learners{Model: learner.DefaultModel()}} }

func (e *OnData) Files() []string { return e.Data.Paths(e.Manifest.Folder) }

func (e *OnData) About() []string { return e.Data.About() }

// load reads the data, and returns an error if a method does not fit them.
func (e *OnData) load() error {
	if err := e.Data.Load(e.Manifest.Folder); err != nil {
		return e.Manifest.Locate("data", err)
	}
	return learner.Fit(e.Manifest, e.Methods, e.Data.Inputs(), len(e.Data.Classes()))
}

// SetUp adds all inputs where none are chosen.
func (e *experiment) SetUp(m *config.Manifest) error {
	if len(e.Inputs) == 0 {
		e.Inputs = []inputs{{Name: all}}
	}
	return e.Swept.SetUp(m)
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
	allLayers := !slices.ContainsFunc(e.Methods, func(m learner.Method) bool { return !m.OutputLayer() })
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
	case slices.Contains(u.Scores, combined) && len(u.Combine) == 0 && !allLayers:
		return field.Errorf("unknown.combine", "missing; allowed: the scores that %s is made of, of methods without an output layer", combined)
	}
	for _, n := range e.Inputs {
		if e.Data.Images == "" && (n.Lit != 0 || n.Box != 0) {
			return field.Errorf("inputs."+n.Name, "allowed: with images only")
		}
		if err := field.AllOneOf("inputs."+n.Name+".methods", n.Methods, learner.Names(e.Methods)...); err != nil {
			return err
		}
	}
	return cmp.Or(
		share("unknown.validation", u.Validation), share("unknown.wrong", u.Wrong...), share("unknown.promise", u.Promise...),
		field.AllOneOf("unknown.scores", u.Scores, scores...), field.AllOneOf("unknown.combine", u.Combine, scores...),
		field.OneOf("unknown.score", u.Score, u.Scores...), once("unknown.scores", u.Scores), once("unknown.combine", u.Combine),
		learner.Check(e.Methods, 0, false), field.AllWithin("unknown.thresholds", u.Thresholds, 0, 1),
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
	files := e.OnData.Files()
	for _, o := range e.Outside {
		files = append(files, o.Paths(e.Manifest.Folder)...)
	}
	return files
}

func (e *experiment) About() []string {
	lines := e.OnData.About()
	for _, o := range e.Outside {
		lines = append(lines, o.examples.About())
	}
	return lines
}

func (e *experiment) Prepare(context.Context) (err error) {
	if err := e.load(); err != nil {
		return err
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
		if o.Enlarge > 0 {
			full := side(inputs)
			if side(o.examples.Inputs()) == 0 || o.Enlarge > full {
				return e.Manifest.Errorf("outside."+o.Name+".enlarge",
					"%d is not allowed; allowed: a side of up to %d, of square images", o.Enlarge, full)
			}
			o.examples = enlarged(o.examples, o.Enlarge, full)
		}
		if n := o.examples.Inputs(); n != inputs {
			return e.Manifest.Errorf("outside."+o.Name, "%d inputs; allowed: %d, as [data] has", n, inputs)
		}
		if o.Labelled {
			if o.examples, err = e.Data.Align(o.examples); err != nil {
				return e.Manifest.Errorf("outside."+o.Name+".labelled", "%v", err)
			}
		}
	}
	for _, n := range e.Inputs {
		if n.Box < 0 || n.Box > side(inputs) {
			return e.Manifest.Errorf("inputs."+n.Name+".box", "%d is not allowed; allowed: up to %d, the side of square images", n.Box, side(inputs))
		}
	}
	if len(e.Near) > 0 && side(inputs) == 0 {
		return e.Manifest.Errorf("near", "%d inputs; allowed: square images", inputs)
	}
	for _, class := range e.Unknown.Unseen {
		if !slices.Contains(classes, class) || len(classes)-len(e.Unknown.Unseen) < 2 {
			return e.Manifest.Errorf("unknown.unseen", "%s is not allowed; allowed: classes of the data, all but two or more: %s", class, strings.Join(classes, ", "))
		}
	}
	return nil
}

var _ study.WithData = (*experiment)(nil)
