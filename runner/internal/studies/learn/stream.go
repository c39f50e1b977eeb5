package learn

import (
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
	Data     data.Source       `toml:"data"`
	Model    learner.Model     `toml:"model"`
	Evaluate course            `toml:"evaluate"`
	Sweep    learner.Sweep     `toml:"sweep"`
	Variants []learner.Variant `toml:"variant" inherit:"model"`
	Methods  []methods.Method  `toml:"method"`

	manifest *config.Manifest
	seeds    []int
	models   []learner.Variant
}

// course says how the stream goes, and when all are scored.
type course struct {
	Snapshots   []int `toml:"snapshots,omitempty"` // numbers of examples of the first pass
	Passes      int   `toml:"passes"`              // over the training part; after each all are scored
	Order       order `toml:"order"`
	Predictions bool  `toml:"predictions"` // whether those of every test example are written down
}

// Validate reports what is not allowed.
func (c *course) Validate() error {
	if err := increasing(c.Snapshots, config.MaxTrain); err != nil {
		return err
	}
	return field.Within("passes", c.Passes, 1, 10_000)
}

// order is that of the examples.
type order int

const (
	shuffled  order = iota // anew for each pass
	fileOrder              // that of the data
)

var orders = field.Words{"shuffled", "file"}

func (o order) MarshalText() ([]byte, error)     { return orders.Marshal(int(o)) }
func (o *order) UnmarshalText(text []byte) error { return field.Unmarshal(o, text, orders) }

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
	return nil
}

func (s *stream) setUp(m *config.Manifest) (err error) {
	s.manifest, s.Data = m, s.Data.WithDefaults()
	if s.seeds, err = m.Seeds(s.Sweep.Seed); err != nil {
		return err
	}
	s.models, err = s.Sweep.Models(s.Model, s.Variants)
	return m.Locate("", err)
}

func (s *stream) Config() any { return s }

// Files implements [study.WithData].
func (s *stream) Files() []string { return s.Data.Paths(s.manifest.Folder) }

func (s *stream) Prepare(context.Context) error {
	if err := s.Data.Load(s.manifest.Folder); err != nil {
		return s.manifest.Locate("data", err)
	}
	train, _, err := s.Data.Parts(rand.NewPCG(0, 0))
	if err != nil {
		return s.manifest.Errorf("data.scale", "%v", err)
	}
	if err := increasing(s.Evaluate.Snapshots, train.Len()); err != nil {
		return s.manifest.Locate("evaluate", err)
	}
	inputs, classes := s.Data.Inputs(), len(s.Data.Classes())
	for _, m := range s.Methods {
		if err := m.Fits(inputs, classes); err != nil {
			return s.manifest.Locate("method."+m.Name, err)
		}
	}
	s.models, err = learner.Fit(s.models, inputs, classes)
	return s.manifest.Locate("", err)
}

func (s *stream) Cells() []study.Cell {
	var cells []study.Cell
	add := func(spec streamSpec) {
		for _, seed := range s.seeds {
			spec := spec
			spec.Manifest, spec.Seed, spec.Data, spec.Evaluate = s.manifest.Name, seed, s.Data, s.Evaluate
			cells = append(cells, study.Cell{Key: fmt.Sprintf("%s seed=%d", spec.Name, seed), Spec: spec, Run: spec.run})
		}
	}
	for _, model := range s.models {
		add(streamSpec{Name: model.Name, Model: &model.Model})
	}
	for _, m := range s.Methods {
		add(streamSpec{Name: m.Name, Method: &m})
	}
	return cells
}

// names returns the names of all that learn.
func (s *stream) names() []string {
	names := learner.Names(s.models)
	for _, m := range s.Methods {
		names = append(names, m.Name)
	}
	return names
}

// Tables adds the means over the seeds.
func (s *stream) Tables(cells []table.Set) (table.Set, error) {
	tables, err := table.Merge(cells)
	if err != nil {
		return nil, err
	}
	scores := slices.Concat(learner.ScoreNames, prequentialNames)
	return append(tables,
		tables.Get("runs").GroupBy("method", "train", "test", "inputs", "classes", "passes").Mean("summary", append(scores, learner.StepNames...)...),
		tables.Get("curve").GroupBy("method", "pass", "k", "seen").Mean("curve_summary", scores...),
	), nil
}

// Notes implements [study.Noted].
func (s *stream) Notes(tables table.Set) []string { return learner.BrokenDown(tables.Get("runs")) }

var (
	_ study.Experiment = (*stream)(nil)
	_ study.WithData   = (*stream)(nil)
	_ study.Noted      = (*stream)(nil)
)
