// Package learn is the study of how networks learn, example after example: on the
// plane as in Section 5 of the paper, where their predictions are mapped; and along the
// training part of any data, next to other methods, where all are scored on the test part.
package learn

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
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
	Name: "learn",
	Asks: "How do networks learn, one example after another, and what do they say meanwhile?",
	New: func(m *config.Manifest) (study.Experiment, error) {
		var h half
		if err := m.Decode(&h); err != nil {
			return nil, err
		}
		return h.experiment, h.experiment.SetUp(m)
	},
}

// half decodes either half of the study: that on the plane where evaluate.grid is
// given, else that along a stream.
type half struct {
	experiment interface {
		study.Experiment
		SetUp(*config.Manifest) error
	}
}

// Extend implements [config.Extended].
func (h *half) Extend(table map[string]any) (any, error) {
	evaluate, _ := table["evaluate"].(map[string]any)
	if _, ok := evaluate["grid"]; ok {
		h.experiment = &plane{Learners: learner.Learners{Model: learner.DefaultModel()}}
	} else {
		h.experiment = &stream{Model: learner.DefaultModel(), Evaluate: course{Passes: 1, Shuffle: true}}
	}
	return h.experiment, nil
}

// stream is the half of the study along a stream of any data. A cell is one method and
// one seed.
type stream struct {
	Data  data.Source   `toml:"data"`
	Model learner.Model `toml:"model"`
	study.Swept
	Evaluate course           `toml:"evaluate"`
	Methods  []learner.Method `toml:"method" inherit:"model"`
	Save     save             `toml:"save,omitempty"`

	inputs, classes int // of the data; 0 before Prepare
}

// course says how the stream goes, and when all are scored.
type course struct {
	Snapshots []int `toml:"snapshots,omitempty"`          // numbers of examples of the first pass; none: about six
	Passes    int   `toml:"passes" allowed:"1 to 10,000"` // over the training part; after each all are scored
	Shuffle   bool  `toml:"shuffle"`                      // anew for each pass; else the order is that of the data

	Classes bool `toml:"classes,omitempty" json:"-"` // tables "classes" and "confusion"

	// Validation is the share of the training part by which candidates are judged; 0: a fifth.
	Validation float64 `toml:"validation,omitzero"`
}

// Validate reports what is not allowed.
func (s *stream) Validate() error {
	if v := s.Evaluate.Validation; !(v >= 0 && v < 1) {
		return field.Errorf("evaluate.validation", "%g is not allowed; allowed: above 0 and below 1", v)
	}
	return learner.Rules{Candidates: math.MaxInt, Stream: true}.Check(s.Methods)
}

func (s *stream) SetUp(m *config.Manifest) error {
	s.Data = s.Data.WithDefaults()
	if err := s.Swept.SetUp(m); err != nil {
		return err
	}
	if slices.ContainsFunc(s.Methods, func(m learner.Method) bool { return len(m.Tune) > 0 }) {
		s.Evaluate.Validation = cmp.Or(s.Evaluate.Validation, 0.2)
	}
	return nil
}

// learners returns all that learns, and the first closed-form one of them: the methods and, if none of
// them is a network, before them the model by the name "model".
func (s *stream) learners() (all []learner.Method, first string) {
	if i := slices.IndexFunc(s.Methods, func(m learner.Method) bool { return m.ClosedForm() }); i >= 0 {
		return s.Methods, s.Methods[i].Name
	}
	return append([]learner.Method{learner.NewMethod("model", s.Model)}, s.Methods...), "model"
}

func (s *stream) Files() []string { return s.Data.Paths(s.Manifest.Folder) }

func (s *stream) About() []string { return s.Data.About() }

func (s *stream) Prepare(context.Context) error {
	if err := s.Data.Load(s.Manifest.Folder); err != nil {
		return s.Manifest.Locate("data", err)
	}
	train, _, err := s.Data.Parts(rand.NewPCG(0, 0))
	if err != nil {
		return s.Manifest.Errorf("data.scale", "%v", err)
	}
	if len(s.Evaluate.Snapshots) == 0 {
		s.Evaluate.Snapshots = learner.Snapshots(train.Len())
	}
	s.inputs, s.classes = s.Data.Inputs(), len(s.Data.Classes())
	err = s.Manifest.Locate("", learner.Increasing("evaluate.snapshots", s.Evaluate.Snapshots, train.Len()))
	if all, _ := s.learners(); len(all) > len(s.Methods) {
		err = cmp.Or(err, s.Manifest.Locate("model", all[0].Fits(s.inputs, s.classes)))
	}
	return cmp.Or(err, learner.Fit(s.Manifest, s.Methods, "", s.inputs, s.classes))
}

func (s *stream) Cells() (cells []study.Cell) {
	all, first := s.learners()
	for _, l := range all {
		for _, seed := range s.Seeds {
			spec := streamSpec{study.Seeded{Manifest: s.Manifest.Name, Seed: seed}, s.Data, l, s.Evaluate, s.Save.Network && l.Name == first && seed == s.Seeds[0]}
			cells = append(cells, study.Cell{Key: fmt.Sprintf("%s seed=%d", l.Name, seed), Spec: spec, Run: spec.run})
		}
	}
	return cells
}

// Tables adds the means over the seeds.
func (s *stream) Tables(cells []table.Set) (table.Set, error) {
	return table.Merge(cells, func(t table.Set) table.Set {
		groups := func(of string, keys ...string) table.Groups {
			return t.Get(of).GroupBy(append([]string{"method"}, keys...)...).
				Shares(learner.ShareNames...).Positive(learner.LossNames...).Shares("prequential_error").Positive("prequential_log_loss")
		}
		scores := slices.Concat(learner.ScoreNames, []string{"prequential_error", "prequential_log_loss"})
		out := table.Set{
			groups("runs", "train", "test", "inputs", "classes", "passes").Mean("summary", slices.Concat(scores, learner.StepNames)...),
			groups("curve", "pass", "k", "seen").Mean("curve_summary", scores...),
		}
		if s.Evaluate.Classes {
			out = append(out, classTables(t.Get("predictions"))...)
		}
		return out
	})
}

func (s *stream) Notes(tables table.Set) []string {
	notes := learner.BrokenDown(tables.Get("runs"))
	_, first := s.learners()
	if s.Save.Network && tables.Get("runs").Where("method", first).Where("seed", s.Seeds[0]).Where("failed", 1).Len() > 0 {
		notes = append(notes, fmt.Sprintf("no %s is kept: %s broke down", savedFile, first))
	}
	return notes
}
