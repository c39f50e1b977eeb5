package learn

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"closedform/internal/field"
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
	Pages    []page           `toml:"figure"`

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
	Snapshots []int `toml:"snapshots,omitempty"`          // numbers of examples of the first pass; none: about six
	Passes    int   `toml:"passes" allowed:"1 to 10,000"` // over the training part; after each all are scored
	Shuffle   bool  `toml:"shuffle"`                      // anew for each pass; else the order is that of the data

	Grid int `toml:"grid,omitzero"` // points of the maps of [[figure]] along each axis

	// Validation is the share of the training part by which candidates are judged; 0: a fifth.
	Validation float64 `toml:"validation,omitzero"`
}

// Validate reports what is not allowed.
func (s *stream) Validate() error {
	if v := s.Evaluate.Validation; !(v >= 0 && v < 1) {
		return field.Errorf("evaluate.validation", "%g is not allowed; allowed: above 0 and below 1", v)
	}
	var variants []string
	for _, v := range s.Variants {
		variants = append(variants, v.Name)
	}
	if len(variants) == 0 {
		variants = []string{"model"}
	}
	for _, m := range s.Methods {
		key := "method." + m.Name
		switch {
		case slices.Contains(variants, m.Name):
			return field.Errorf(key+".name", "a network has this name; allowed: names that differ")
		case m.Passes != 0:
			return field.Errorf(key+".passes", "not allowed here; allowed: evaluate.passes, for all")
		case m.Window != 0:
			return field.Errorf(key+".window", "allowed: only along a stream that changes")
		case m.OwnOrders:
			return field.Errorf(key+".own_orders", "true is not allowed; allowed: false, along a stream")
		}
	}
	fewest, most := 0, 0
	if len(s.Pages) > 0 {
		fewest, most = 2, config.MaxGrid
	}
	for i, p := range s.Pages {
		if p.Single {
			return field.Errorf(fmt.Sprintf("figure.%d.single", i+1), "allowed: only for a generator, with evaluate.grid")
		}
	}
	return cmp.Or(checkPages(s.Pages, variants), field.Within("evaluate.grid", s.Evaluate.Grid, fewest, most))
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
			if l.Weights != "" {
				return m.Errorf(key+".weights", `allowed: in a [[method]] of kind = "closed-form"`)
			}
		}
		for _, tuned := range l.Tune {
			if slices.Contains(append(s.swept(), "passes", "window"), tuned) {
				return m.Errorf(key+".tune", "%s is not allowed; allowed: what is not swept, not passes, not window", tuned)
			}
		}
		if err := l.Validate(); err != nil {
			return m.Locate(key, err)
		}
		if len(l.Tune) > 0 && s.Evaluate.Validation == 0 {
			s.Evaluate.Validation = 0.2
		}
	}
	return m.Locate("save", s.Save.resolve(s.learners(), s.networks.Seeds))
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
	if len(s.Pages) > 0 && inputs != data.Inputs {
		return s.manifest.Errorf("figure", "the data have %d inputs; allowed: two, over which maps are drawn", inputs)
	}
	return cmp.Or(methods.Fit(s.manifest, s.Methods, inputs, classes), s.networks.Fit(s.manifest, inputs, classes))
}

func (s *stream) Cells() []study.Cell {
	var cells []study.Cell
	for i, l := range s.learners() {
		if l.Online() {
			l.Passes = s.Evaluate.Passes
		}
		for _, seed := range s.networks.Seeds {
			spec := streamSpec{
				Seeded: study.Seeded{Manifest: s.manifest.Name, Seed: seed},
				Data:   s.Data, Method: l, Swept: s.swept(), Evaluate: s.Evaluate, Save: s.Save.is(l.Name, seed),
			}
			spec.Evaluate.Grid = 0
			if i < len(s.networks.Models) {
				spec.Model = &s.networks.Models[i].Model
				drawn := func(p page) bool { return p.Variant == s.networks.Models[i].Of }
				if seed == s.manifest.Seed && slices.ContainsFunc(s.Pages, drawn) {
					spec.Evaluate.Grid = s.Evaluate.Grid
				}
			}
			cells = append(cells, study.Cell{Key: fmt.Sprintf("%s seed=%d", l.Name, seed), Spec: spec, Run: spec.run, Uses: l.Uses()})
		}
	}
	return cells
}

// Tables adds the means over the seeds.
func (s *stream) Tables(cells []table.Set) (table.Set, error) {
	return table.Merge(withoutSaved(cells), func(t table.Set) table.Set {
		scores := slices.Concat(learner.ScoreNames, prequentialNames)
		groups := func(of string, keys ...string) table.Groups {
			return t.Get(of).GroupBy(slices.Concat([]string{"method"}, s.swept(), keys)...).Shares(learner.ShareNames...).Shares("prequential_error")
		}
		return table.Set{
			groups("runs", "train", "test", "inputs", "classes", "passes").
				Mean("summary", slices.Concat(scores, learner.StepNames)...),
			groups("curve", "pass", "k", "seen").Mean("curve_summary", scores...),
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
