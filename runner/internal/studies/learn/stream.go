package learn

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"closedform/internal/field"
	"closedform/runner/internal/config"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// stream is the half of the study along a stream of any data. A cell is one method and
// one seed.
type stream struct {
	Data  data.Source   `toml:"data"`
	Model learner.Model `toml:"model"`
	study.Swept
	Evaluate course           `toml:"evaluate"`
	Methods  []learner.Method `toml:"method" inherit:"model"`
	Save     save             `toml:"save,omitempty"`

	kept            string // the method whose network is kept, with the first seed; empty: none is
	inputs, classes int    // of the data; 0 before Prepare
}

// course says how the stream goes, and when all are scored.
type course struct {
	Snapshots []int `toml:"snapshots,omitempty"`          // numbers of examples of the first pass; none: about six
	Passes    int   `toml:"passes" allowed:"1 to 10,000"` // over the training part; after each all are scored
	Shuffle   bool  `toml:"shuffle"`                      // anew for each pass; else the order is that of the data
	Grid      int   `toml:"-"`                            // 0: a field of the specs of cells that are kept

	Classes bool `toml:"classes,omitempty" json:"-"` // tables "classes" and "confusion"

	// Validation is the share of the training part by which candidates are judged; 0: a fifth.
	Validation float64 `toml:"validation,omitzero"`
}

// Validate reports what is not allowed.
func (s *stream) Validate() error {
	if v := s.Evaluate.Validation; !(v >= 0 && v < 1) {
		return field.Errorf("evaluate.validation", "%g is not allowed; allowed: above 0 and below 1", v)
	}
	for _, m := range s.Methods {
		key := "method." + m.Name
		switch {
		case m.Passes != 0 || slices.Contains(m.Tune, "passes"):
			return field.Errorf(key+".passes", "not allowed here; allowed: evaluate.passes, for all")
		case m.Window != 0 || slices.Contains(m.Tune, "window"):
			return field.Errorf(key+".window", "allowed: only along a stream that changes")
		case m.OwnOrders:
			return field.Errorf(key+".own_orders", "true is not allowed; allowed: false, along a stream")
		}
	}
	return nil
}

func (s *stream) SetUp(m *config.Manifest) error {
	s.Data = s.Data.WithDefaults()
	if err := s.Swept.SetUp(m); err != nil {
		return err
	}
	if slices.ContainsFunc(s.Methods, func(m learner.Method) bool { return len(m.Tune) > 0 }) {
		s.Evaluate.Validation = cmp.Or(s.Evaluate.Validation, 0.2)
	}
	if s.Save == (save{}) {
		return nil
	}
	var networks []string
	for _, l := range s.learners() {
		if isNetwork(l) {
			networks = append(networks, l.Name)
		}
	}
	s.kept = cmp.Or(s.Save.Method, networks[0])
	if !slices.Contains(networks, s.kept) {
		return m.Errorf("save.method", "%q is not allowed; allowed: %s", s.kept, strings.Join(networks, ", "))
	}
	return nil
}

func isNetwork(m learner.Method) bool { return m.ClosedForm() }

// learners returns all that learns: the methods and, if none of them is a network, before
// them the model by the name "model".
func (s *stream) learners() []learner.Method {
	if slices.ContainsFunc(s.Methods, isNetwork) {
		return s.Methods
	}
	return append([]learner.Method{learner.OfModel("model", s.Model)}, s.Methods...)
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
	if all := s.learners(); len(all) > len(s.Methods) {
		err = cmp.Or(err, s.Manifest.Locate("model", all[0].Fits(s.inputs, s.classes)))
	}
	return cmp.Or(err, learner.Fit(s.Manifest, s.Methods, s.inputs, s.classes))
}

func (s *stream) Cells() (cells []study.Cell) {
	for _, l := range s.learners() {
		var model *learner.Model
		if l.ClosedForm() {
			l, model = l.For(s.inputs, s.classes)
		}
		if l.Online() {
			l.Passes = s.Evaluate.Passes
		}
		for _, seed := range s.Seeds {
			spec := streamSpec{study.Seeded{Manifest: s.Manifest.Name, Seed: seed}, s.Data, l, model, s.Evaluate, l.Name == s.kept && seed == s.Seeds[0]}
			cells = append(cells, study.Cell{Key: fmt.Sprintf("%s seed=%d", l.Name, seed), Spec: spec, Run: spec.run, Uses: l.Uses()})
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
	runs := tables.Get("runs")
	notes := learner.BrokenDown(runs)
	if runs.Where("method", s.kept).Where("seed", s.Seeds[0]).Where("failed", 1).Len() > 0 {
		notes = append(notes, fmt.Sprintf("no %s is kept: %s broke down", savedFile, s.kept))
	}
	return notes
}

var _ study.WithData = (*stream)(nil)

var _ study.Noted = (*stream)(nil)
