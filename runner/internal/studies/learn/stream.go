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
	Data data.Source `toml:"data"`
	learner.Networks
	Evaluate course           `toml:"evaluate"`
	Methods  []methods.Method `toml:"method"`

	manifest *config.Manifest
}

// course says how the stream goes, and when all are scored.
type course struct {
	Snapshots []int `toml:"snapshots,omitempty"` // numbers of examples of the first pass
	Passes    int   `toml:"passes"`              // over the training part; after each all are scored
	Shuffle   bool  `toml:"shuffle"`             // anew for each pass; else the order is that of the data
}

// Validate reports what is not allowed.
func (s *stream) Validate() error {
	names := learner.Names(s.Variants)
	for _, m := range s.Methods {
		switch key := "method." + m.Name; {
		case slices.Contains(names, m.Name):
			return field.Errorf(key+".name", "a variant has this name; allowed: names that differ")
		case m.Passes != 0 || m.Window != 0 || len(m.Tune) > 0:
			return field.Errorf(key, "allowed: without passes, window and tune; evaluate.passes is for all")
		}
	}
	return field.Within("evaluate.passes", s.Evaluate.Passes, 1, 10_000)
}

func (s *stream) setUp(m *config.Manifest) error {
	s.manifest, s.Data = m, s.Data.WithDefaults()
	return s.Resolve(m)
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
	if err := learner.Increasing("evaluate.snapshots", s.Evaluate.Snapshots, train.Len()); err != nil {
		return s.manifest.Locate("", err)
	}
	inputs, classes := s.Data.Inputs(), len(s.Data.Classes())
	return cmp.Or(methods.Fit(s.manifest, s.Methods, inputs, classes), s.Fit(s.manifest, inputs, classes))
}

func (s *stream) Cells() []study.Cell {
	var cells []study.Cell
	add := func(spec streamSpec) {
		for _, seed := range s.Seeds {
			spec := spec
			spec.Seeded = study.Seeded{Manifest: s.manifest.Name, Seed: seed}
			spec.Data, spec.Evaluate = s.Data, s.Evaluate
			cells = append(cells, study.Cell{Key: fmt.Sprintf("%s seed=%d", spec.Name, seed), Spec: spec, Run: spec.run})
		}
	}
	for _, model := range s.Models {
		add(streamSpec{Name: model.Name, Model: &model.Model})
	}
	for _, m := range s.Methods {
		add(streamSpec{Name: m.Name, Method: &m})
	}
	return cells
}

// names returns the names of all that learn.
func (s *stream) names() []string {
	names := learner.Names(s.Models)
	for _, m := range s.Methods {
		names = append(names, m.Name)
	}
	return names
}

// Tables adds the means over the seeds.
func (s *stream) Tables(cells []table.Set) (table.Set, error) {
	return table.Merge(cells, func(t table.Set) table.Set {
		scores := slices.Concat(learner.ScoreNames, prequentialNames)
		return table.Set{
			t.Get("runs").GroupBy("method", "train", "test", "inputs", "classes", "passes").
				Mean("summary", append(scores, learner.StepNames...)...),
			t.Get("curve").GroupBy("method", "pass", "k", "seen").Mean("curve_summary", scores...),
		}
	})
}

// Notes implements [study.Noted].
func (s *stream) Notes(tables table.Set) []string { return learner.BrokenDown(tables.Get("runs")) }

var (
	_ study.WithData = (*stream)(nil)
	_ study.Noted    = (*stream)(nil)
)
