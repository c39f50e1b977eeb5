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
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// stream is the half of the study along a stream of any data. A cell is one method and
// one seed.
type stream struct {
	Data     data.Source      `toml:"data"`
	Model    learner.Model    `toml:"model"`
	Sweep    learner.Sweep    `toml:"sweep"`
	Evaluate course           `toml:"evaluate"`
	Methods  []learner.Method `toml:"method" inherit:"model"`
	Save     save             `toml:"save,omitempty"`
	Pages    []page           `toml:"figure"`

	manifest *config.Manifest
	networks learner.Networks // the closed-form methods, or else the model
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
	for _, m := range s.Methods {
		key := "method." + m.Name
		switch {
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
	var networks []string
	for _, m := range s.closedForm() {
		networks = append(networks, m.Name)
	}
	return cmp.Or(checkPages(s.Pages, networks), field.Within("evaluate.grid", s.Evaluate.Grid, fewest, most))
}

func (s *stream) setUp(m *config.Manifest) error {
	s.manifest, s.Data = m, s.Data.WithDefaults()
	s.networks = learner.Networks{Model: s.Model, Sweep: s.Sweep}
	for _, m := range s.closedForm() {
		s.networks.Methods = append(s.networks.Methods, m.Network())
	}
	if err := s.networks.Resolve(m); err != nil {
		return err
	}
	for _, l := range s.learners() {
		key := "method." + l.name
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

// closedForm returns the closed-form methods, or if there is none the model by the name "model".
func (s *stream) closedForm() []learner.Method {
	all := slices.DeleteFunc(slices.Clone(s.Methods), func(m learner.Method) bool { return !m.ClosedForm() })
	if len(all) == 0 {
		all = []learner.Method{learner.OfModel("model", s.Model)}
	}
	return all
}

// entry is what learns: a method, or a closed-form one at a place of the sweep.
type entry struct {
	learner.Method
	name  string         // of the method
	model *learner.Model // of a closed-form one
}

// learners returns all that learns, in the order of the manifest.
func (s *stream) learners() (all []entry) {
	methods := s.Methods
	if networks := s.closedForm(); !slices.ContainsFunc(methods, func(m learner.Method) bool { return m.ClosedForm() }) {
		methods = slices.Concat(networks, methods)
	}
	for _, m := range methods {
		if !m.ClosedForm() {
			all = append(all, entry{Method: m, name: m.Name})
			continue
		}
		for i := range s.networks.Models {
			if at := &s.networks.Models[i]; at.Of == m.Name {
				all = append(all, entry{m.At(*at), m.Name, &at.Model})
			}
		}
	}
	return all
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
	return cmp.Or(learner.Fit(s.manifest, s.Methods, inputs, classes), s.networks.Fit(s.manifest, inputs, classes))
}

func (s *stream) Cells() []study.Cell {
	var cells []study.Cell
	for _, l := range s.learners() {
		if l.Online() {
			l.Passes = s.Evaluate.Passes
		}
		drawn := slices.ContainsFunc(s.Pages, func(p page) bool { return p.Method == l.name })
		for _, seed := range s.networks.Seeds {
			spec := streamSpec{
				Seeded: study.Seeded{Manifest: s.manifest.Name, Seed: seed},
				Data:   s.Data, Method: l.Method, Model: l.model, Swept: s.swept(), Evaluate: s.Evaluate, Save: s.Save.is(l.Name, seed),
			}
			if !drawn || seed != s.manifest.Seed {
				spec.Evaluate.Grid = 0
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
			return t.Get(of).GroupBy(slices.Concat([]string{"method"}, s.swept(), keys)...).Shares(learner.ShareNames...).Positive(learner.LossNames...).Shares("prequential_error").Positive("prequential_log_loss")
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
