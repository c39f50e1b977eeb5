package learn

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"closedform/core/field"
	"closedform/runner/internal/config"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/methods"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// stream is the half of the study along a stream of any data. A cell is one network
// or other method, and one seed.
type stream struct {
	Data     data.Source      `toml:"data"`
	Model    learner.Model    `toml:"model"`
	Sweep    learner.Sweep    `toml:"sweep"`
	Variants []variant        `toml:"variant" inherit:"model"`
	Evaluate course           `toml:"evaluate"`
	Methods  []methods.Method `toml:"method"`
	Save     save             `toml:"save,omitempty"`

	manifest *config.Manifest
	networks learner.Networks // of the model or the variants
}

// variant is a network some of whose values may be chosen by a part for validation.
type variant struct {
	learner.Variant
	methods.Tuning
}

// course says how the stream goes, and when all are scored.
type course struct {
	Snapshots []int `toml:"snapshots,omitempty"` // numbers of examples of the first pass; none: about six
	Passes    int   `toml:"passes"`              // over the training part; after each all are scored
	Shuffle   bool  `toml:"shuffle"`             // anew for each pass; else the order is that of the data

	Validation float64 `toml:"validation,omitzero"` // share of the training part by which candidates are judged; 0: a fifth
}

// Validate reports what is not allowed.
func (s *stream) Validate() error {
	if v := s.Evaluate.Validation; !(v >= 0 && v < 1) {
		return field.Errorf("evaluate.validation", "%g is not allowed; allowed: above 0 and below 1", v)
	}
	for _, m := range s.Methods {
		switch key := "method." + m.Name; {
		case slices.ContainsFunc(s.Variants, func(v variant) bool { return v.Name == m.Name }):
			return field.Errorf(key+".name", "a variant has this name; allowed: names that differ")
		case m.Passes != 0 || m.Window != 0:
			return field.Errorf(key, "allowed: without passes and window; evaluate.passes is for all")
		}
	}
	return field.Within("evaluate.passes", s.Evaluate.Passes, 1, 10_000)
}

func (s *stream) setUp(m *config.Manifest) error {
	s.manifest, s.Data = m, s.Data.WithDefaults()
	s.networks = learner.Networks{Model: s.Model, Sweep: s.Sweep}
	for _, v := range s.Variants {
		s.networks.Variants = append(s.networks.Variants, v.Variant)
	}
	if err := s.networks.Resolve(m); err != nil {
		return err
	}
	for i, l := range s.learners() {
		key := "method." + l.Name
		if i < len(s.networks.Models) {
			key = "variant." + s.networks.Models[i].Of
		}
		for _, tuned := range l.Tune {
			if slices.Contains(append(s.swept(), "passes", "window"), tuned) {
				return m.Errorf(key+".tune", "%s is not allowed; allowed: what is not swept, and neither passes nor window", tuned)
			}
		}
		if err := l.Validate(); err != nil {
			return m.Locate(key, err)
		}
		if len(l.Tune) > 0 && s.Evaluate.Validation == 0 {
			s.Evaluate.Validation = 0.2
		}
	}
	return m.Locate("save", s.Save.resolve(s.networks))
}

// learners returns the networks and then the other methods.
func (s *stream) learners() []methods.Method {
	var all []methods.Method
	for _, model := range s.networks.Models {
		var t methods.Tuning
		for _, v := range s.Variants {
			if v.Name == model.Of {
				t = v.Tuning
			}
		}
		all = append(all, methods.OfVariant(model, t))
	}
	return append(all, s.Methods...)
}

// swept returns the parameters of the networks that are swept.
func (s *stream) swept() (names []string) {
	if s.Sweep.Lambda != nil {
		names = append(names, "lambda")
	}
	if s.Sweep.Rho != nil {
		names = append(names, "rho")
	}
	return names
}

// Files implements [study.WithData].
func (s *stream) Files() []string { return s.Data.Paths(s.manifest.Folder) }

// About implements [study.WithData].
func (s *stream) About() []string { return s.Data.About() }

func (s *stream) Prepare(context.Context) error {
	if err := s.Data.Load(s.manifest.Folder); err != nil {
		return s.manifest.Locate("data", err)
	}
	train, _, err := s.Data.Parts(rand.NewPCG(0, 0))
	if err != nil {
		return s.manifest.Errorf("data.scale", "%v", err)
	}
	if len(s.Evaluate.Snapshots) == 0 {
		s.Evaluate.Snapshots = learner.Snapshots(train.Len())
	}
	if err := learner.Increasing("evaluate.snapshots", s.Evaluate.Snapshots, train.Len()); err != nil {
		return s.manifest.Locate("", err)
	}
	inputs, classes := s.Data.Inputs(), len(s.Data.Classes())
	return cmp.Or(methods.Fit(s.manifest, s.Methods, inputs, classes), s.networks.Fit(s.manifest, inputs, classes))
}

func (s *stream) Cells() []study.Cell {
	var cells []study.Cell
	for i, l := range s.learners() {
		if l.Online() {
			l.Passes = s.Evaluate.Passes
		}
		for _, seed := range s.networks.Seeds {
			spec := streamSpec{Seeded: study.Seeded{Manifest: s.manifest.Name, Seed: seed}, Data: s.Data, Method: l, Swept: s.swept(), Evaluate: s.Evaluate}
			spec.Save = s.Save.is(l.Name, seed)
			if i < len(s.networks.Models) {
				spec.Model = &s.networks.Models[i].Model
			}
			cells = append(cells, study.Cell{Key: fmt.Sprintf("%s seed=%d", l.Name, seed), Spec: spec, Run: spec.run})
		}
	}
	return cells
}

// Tables adds the means over the seeds.
func (s *stream) Tables(cells []table.Set) (table.Set, error) {
	return table.Merge(withoutSaved(cells), func(t table.Set) table.Set {
		scores, keys := slices.Concat(learner.ScoreNames, prequentialNames), append([]string{"method"}, s.swept()...)
		return table.Set{
			t.Get("runs").GroupBy(slices.Concat(keys, []string{"train", "test", "inputs", "classes", "passes"})...).
				Mean("summary", slices.Concat(scores, learner.StepNames)...),
			t.Get("curve").GroupBy(slices.Concat(keys, []string{"pass", "k", "seen"})...).Mean("curve_summary", scores...),
		}
	})
}

// Notes implements [study.Noted].
func (s *stream) Notes(tables table.Set) []string {
	runs := tables.Get("runs")
	return append(learner.BrokenDown(runs), s.Save.notes(runs)...)
}

var (
	_ study.WithData = (*stream)(nil)
	_ study.Noted    = (*stream)(nil)
	_ study.Saving   = (*stream)(nil)
)
