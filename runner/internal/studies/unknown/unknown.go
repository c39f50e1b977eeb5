// Package unknown studies the decision "unknown": the trade-off between undecided examples and wrong
// decisions, and whether a classifier's confidence detects out-of-distribution inputs and unseen classes.
package unknown

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/field"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/plots"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "unknown",
	Asks: "How well does it abstain, and detect unfamiliar inputs?",
	New: func(m *manifest.Manifest) (study.Experiment, error) {
		if m.Has("left_out") {
			return study.Decode(m, &leftOut{Flags: flags{Familiar: 0.01, Wrong: 0.02}})
		}
		u := settings{Validation: 1. / 6, Scores: []score{probability, entropy}}
		return study.Decode(m, &experiment{Unknown: u, Model: learner.DefaultModel()})
	},
}

type experiment struct {
	Data    data.Source      `toml:"data"`
	Unknown settings         `toml:"unknown"`
	Outside []outside        `toml:"outside"`
	Sweep   manifest.Sweep   `toml:"sweep"`
	Model   learner.Model    `toml:"model"`
	Chosen  plots.Chosen     `toml:"figures,omitzero"`
	Methods []learner.Method `toml:"method" inherit:"model" check:"required"`

	manifest *manifest.Manifest
	seeds    []int
}

type settings struct {
	// Validation is the share of the training part that chooses thresholds; default 1/6.
	Validation float64 `toml:"validation" check:"required" range:"1e-6 0.999999"`
	// Wrong are shares of wrong decisions to aim for.
	Wrong []float64 `toml:"wrong" check:"required distinct" range:"1e-6 0.999999"`
	// Thresholds are thresholds of the largest probability; default none.
	Thresholds []float64 `toml:"thresholds,omitempty" check:"distinct" range:"0 1"`

	// Promise are shares of wrong answers, promised with 95 % confidence; default none.
	Promise []float64 `toml:"promise,omitempty" json:",omitempty" check:"distinct" range:"1e-6 0.999999"`
	// Unseen are classes that are kept from a second training; default none.
	Unseen []string `toml:"unseen,omitempty" check:"distinct"`
	Scores []score  `toml:"scores" check:"distinct"` // confidence scores; default "probability" and "entropy"
	// Reference is the method with whose decisions those of each other are compared, seed by seed; default none.
	Reference string `toml:"reference,omitempty" json:"-"`
}

type outside struct {
	Name string `toml:"name" check:"required"`            // name in tables
	Rows string `toml:"rows,omitempty" json:",omitempty"` // rows that are used, such as "1-500"; default all
	data.Files
	examples *data.Examples
}

// Validate reports invalid values.
func (o outside) Validate() error {
	return errors.Join(data.CheckRows("rows", o.Rows), o.Files.Validate())
}

func (e *experiment) Validate() error {
	names := learner.Names(e.Methods)
	var reference error
	if e.Unknown.Reference != "" {
		reference = field.In("unknown", field.Among("reference", names, e.Unknown.Reference))
	}
	return errors.Join(reference, field.Refuse(e.Data.Stream, "data.stream", true, "a test part, with this study"),
		learner.Plain(e.Methods), e.Chosen.Check(names...))
}

func (e *experiment) SetUp(m *manifest.Manifest) (err error) {
	e.manifest = m
	e.seeds, err = m.Seeds(e.Sweep.Seed)
	return err
}

func (e *experiment) Files() (paths, about []string) {
	paths, about = e.Data.Paths(e.manifest.Folder), e.Data.About()
	for _, o := range e.Outside {
		if paths = append(paths, o.Paths(e.manifest.Folder)...); o.examples != nil {
			about = append(about, o.examples.About())
		}
	}
	return paths, about
}

func (e *experiment) Prepare(context.Context) (err error) {
	if err := e.Data.Load(e.manifest.Folder); err != nil {
		return e.manifest.Locate("data", err)
	}
	inputs, classes := e.Data.Inputs(), e.Data.Classes()
	for i := range e.Outside {
		o := &e.Outside[i]
		if o.examples, err = o.Load(e.manifest.Folder, nil); err != nil {
			return e.manifest.Locate("outside."+o.Name, err)
		}
		if o.examples, err = data.Rows(o.examples, "rows", o.Rows); err != nil {
			return e.manifest.Locate("outside."+o.Name, err)
		}
		if n := o.examples.Inputs(); n != inputs {
			err := field.Errorf("outside."+o.Name, "%d inputs; allowed: %d, as [data] has", n, inputs)
			return e.manifest.Locate("", err)
		}
	}
	for _, class := range e.Unknown.Unseen {
		if !slices.Contains(classes, class) || len(classes)-len(e.Unknown.Unseen) < 2 {
			return e.manifest.Locate("unknown", field.Refuse(true, "unseen", class, "classes of the data, "+
				"all but two or more: "+field.Quoted(classes)))
		}
	}
	return learner.Fit(e.manifest, e.Methods, inputs, len(classes))
}

type spec struct {
	study.Seeded
	Data    data.Source
	Outside []outside
	Unknown settings
	Method  learner.Method
	Curve   bool // whether the table risk_coverage includes the cell
}

func (e *experiment) Cells() (cells []study.Cell) {
	for _, m := range e.Methods {
		for _, seed := range e.seeds {
			seeded := study.Seeded{Manifest: e.manifest.Name, Seed: seed}
			s := spec{seeded, e.Data, e.Outside, e.Unknown, m, seed == e.seeds[0]}
			key := fmt.Sprintf("%s seed=%d", m.Name, seed)
			cells = append(cells, study.Cell{Key: key, Spec: s, Run: study.Tables(s.run)})
		}
	}
	return cells
}

// run trains a learner, chooses thresholds on the validation part, and decides about the test part. It
// compares the scores of the test part with those of each [[outside]]. It trains another learner without the
// unseen classes, and compares the scores of test examples of seen and unseen classes.
func (s spec) run(ctx context.Context) (table.Tables, error) {
	train, test, err := s.Data.Parts(s.Stream("data"))
	if err != nil {
		return nil, err
	}
	l, err := s.train(ctx, train)
	if err != nil {
		return nil, err
	}
	t, known := newTables(s, test), l.predict(test)
	t.evaluate(l, known)
	for _, o := range s.Outside {
		t.distinguish(o.Name, known, l.predict(o.examples))
	}
	if len(s.Unknown.Unseen) > 0 {
		train, test, unseen, err := withhold(train, test, s.Unknown.Unseen...)
		if err != nil {
			return nil, err
		}
		if l, err = s.train(ctx, train); err != nil {
			return nil, err
		}
		t.distinguish("unseen", l.predict(test), l.predict(unseen))
	}
	return table.Tables{t.decisions, t.runs, t.curve}, nil
}

// rows returns the indices of the examples of some classes, or of all other examples.
func rows(e *data.Examples, classes []string, of bool) (rows []int) {
	for i := range e.Len() {
		if slices.Contains(classes, e.Classes()[e.Class(i)]) == of {
			rows = append(rows, i)
		}
	}
	return rows
}

// train trains the method on a part of the examples, and predicts the others for validation.
func (s spec) train(ctx context.Context, examples *data.Examples) (*scorer, error) {
	train, validation, err := examples.Split(s.Unknown.Validation, s.Stream("validation"))
	if err != nil {
		return nil, err
	}
	l := new(scorer)
	training := learner.Training{
		Scale: s.Data.Scale, Random: func() rand.Source { return s.Stream("method", s.Method.Name) },
		Order: learner.Shuffled, Shuffle: func(pass int) rand.Source { return s.Stream("pass", pass) },
	}
	if len(s.Unknown.Promise) > 0 && s.Method.Online() && s.Method.Passes <= 1 && !s.Method.OwnOrders {
		unrecorded := train.Len() - validation.Len()
		training.Observing = func(c *learner.Classifier, x []float64, class int) {
			if unrecorded--; unrecorded < 0 {
				p := c.PredictNext(x)
				l.record.Add(p.Confidence, floats.MaxIdx(p.P) != class)
			}
		}
	}
	if l.Result, err = training.Run(ctx, s.Method, train, nil); err != nil {
		return nil, err
	}
	needHidden := func(w score) bool { return w == firstLayer || w == mahalanobis || w == combined }
	if slices.ContainsFunc(s.Unknown.Scores, needHidden) && l.Readout() == nil {
		l.fitHidden(train)
	}
	l.validation = l.predict(validation)
	return l, nil
}
