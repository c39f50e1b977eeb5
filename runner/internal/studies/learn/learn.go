// Package learn is the study of how methods learn from a stream of examples. All methods learn the same
// examples of a set in the same order, and are scored along the stream and at its end. A cell (cells.go)
// trains and scores one method (run.go); tables.go has the means over the seeds.
package learn

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/field"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/own"
	"closedform/runner/internal/probit"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "learn",
	Asks: "How well do methods learn from a stream of examples?",
	New: study.Decoded(func(*manifest.Manifest) *experiment {
		return &experiment{
			Evaluate: evaluate{Order: []Order{Shuffled}, Passes: []int{1}, Validation: 0.2},
			Learners: learner.Learners{Model: learner.DefaultModel()},
		}
	}),
}

type experiment struct {
	Data Source `toml:"data,omitzero"`
	Sets []set  `toml:"set,omitempty"` // in place of data
	learner.Learners
	Sweep     sweep        `toml:"sweep"`
	Evaluate  evaluate     `toml:"evaluate"`
	Contrasts []contrast   `toml:"contrast,omitempty"`
	Chosen    study.Chosen `toml:"figures,omitzero"`
	Save      struct {
		Network bool `toml:"network,omitempty"`  // keep the first closed-form method and seed; default false
		AllRows bool `toml:"all_rows,omitempty"` // after the test it learns the test part, too; default false
	} `toml:"save,omitempty"`

	manifest *manifest.Manifest
	seeds    []int
	sets     []set            // many, or one, which is called data
	methods  []learner.Method // at everything that is swept
	saved    string           // the first closed-form method
	named    bool             // sets are tables [[set]]
	swept    bool             // λ is swept, or both λ and ρ
	curve    bool             // methods are scored along the stream
	predicts bool             // there are predictions of the test part
	mapped   bool             // there are maps of the plane
}

type evaluate struct {
	Order  []Order `toml:"order" allowed:"one or more words"`    // orders of the stream; default "shuffled"
	Passes []int   `toml:"passes" allowed:"increasing integers"` // score after these passes; default 1
	// Snapshots are numbers of examples of the first pass after which to score; default none, with [data] six.
	Snapshots  []int   `toml:"snapshots,omitempty"`
	Validation float64 `toml:"validation"` // share of the training part that chooses candidates; default 0.2

	Orders    int `toml:"orders,omitzero"`    // "repeated": number of orders of the same examples
	Resamples int `toml:"resamples,omitzero"` // "repeated": number of other samples of examples
	Samples   int `toml:"samples,omitzero"`   // samples of Monte Carlo at a point of the grid; default none
	Stride    int `toml:"stride,omitzero"`    // Monte Carlo on every stride-th line of the grid; default 1

	Reference string `toml:"reference,omitempty" json:"-"` // compare methods with this one; default none
	// LeaveOut are methods, one of which is chosen for each set on the others; default none.
	LeaveOut []string `toml:"leave_out,omitempty" json:"-"`
	// SplitsOf is the experiment whose splits and orders to reuse; default this one.
	SplitsOf string `toml:"splits_of,omitempty" json:"-"`
}

type sweep struct {
	manifest.Sweep
	Lambda []float64 `toml:"lambda,omitempty"` // slopes in place of each lambda; default none
	Rho    []float64 `toml:"rho,omitempty"`    // with lambda: correlations in place of each rho; default none
}

// Source is a table of data. The test part may be the points of a grid, of a generator.
type Source struct {
	data.Source
	Grid int `toml:"grid,omitzero" json:",omitzero"` // test part: points of a grid along each axis; default none
}

func (s *Source) missing() bool { return reflect.ValueOf(*s).IsZero() }

// Validate reports invalid values, unless the table is missing.
func (s *Source) Validate() error {
	if s.missing() {
		return nil
	}
	if s.Grid == 0 {
		return s.Source.Validate()
	}
	without := s.Generator.Name == "" || s.Test > 0 || s.Scale != ""
	err := cmp.Or(field.Refuse(without, "grid", "with a generator, in place of test and scale"),
		field.Within("grid", s.Grid, 2, 2001), s.Sample.Validate())
	if err == nil && s.Task().Probabilities == nil {
		return field.Errorf("grid", "not allowed with the generator %s, whose class probabilities are not known; "+
			"allowed: test = a number", s.Generator.Name)
	}
	return err
}

func (s *Source) grid() *data.Grid { return s.Task().Region.Grid(s.Grid) }

type set struct {
	Name    string   `toml:"name" allowed:"a text"` // name in rows of tables
	Splits  int      `toml:"splits,omitzero"`       // learn it with the first so many seeds only; default all
	Methods []string `toml:"methods,omitempty"`     // names of the methods that learn it; default all
	Order   []Order  `toml:"order,omitempty"`       // some of the orders in [evaluate]; default all
	Source
	key string // of the table
}

func (s *set) skips(m learner.Method) bool {
	return len(s.Methods) > 0 && !slices.Contains(s.Methods, m.Name)
}

func (e *experiment) SetUp(m *manifest.Manifest) (err error) {
	e.manifest, e.sets = m, e.Sets
	e.named, e.swept = len(e.sets) > 0, len(e.Sweep.Lambda)+len(e.Sweep.Rho) > 0
	if !e.named {
		e.sets = []set{{Name: "data", Source: e.Data, key: "data"}}
	}
	plain := !e.named && !e.swept && e.Evaluate.single()
	e.predicts = plain && e.Data.Grid == 0
	e.curve = e.Evaluate.Snapshots != nil || e.predicts // after six snapshots
	e.mapped = e.Evaluate.Snapshots != nil && plain && !e.predicts
	for i := range e.sets {
		s := &e.sets[i]
		if s.key = cmp.Or(s.key, "set."+s.Name); s.missing() {
			return m.Locate(s.key, s.Source.Source.Validate())
		}
	}
	e.seeds, err = m.Seeds(e.Sweep.Seed)
	if e.methods = e.Listed(); e.swept {
		e.methods = nil
	}
	for _, m := range e.Listed() {
		rhos := e.Sweep.Rho
		if rhos == nil {
			rhos = []float64{m.Model.Rho}
		}
		for _, lambda := range e.Sweep.Lambda {
			for _, m.Model.Rho = range rhos {
				m.Model.Lambda = probit.Lambda{Number: lambda}
				e.methods = append(e.methods, m)
			}
		}
	}
	if i := slices.IndexFunc(e.methods, func(m learner.Method) bool { return m.ClosedForm() }); i >= 0 {
		e.saved = e.methods[i].Name
	}
	return cmp.Or(err, e.check())
}

func (v *evaluate) single() bool { return len(v.Order) == 1 }

func (v *evaluate) repeated() bool { return slices.Contains(v.Order, Repeated) }

func (e *experiment) Files() (files []string) {
	for _, s := range e.sets {
		files = append(files, s.Paths(e.manifest.Folder)...)
	}
	return files
}

func (e *experiment) About() (lines []string) {
	for _, s := range e.sets {
		lines = append(lines, s.About()...)
	}
	return lines
}

func (e *experiment) Prepare(context.Context) error {
	most := 0 // training examples
	for i := range e.sets {
		s := &e.sets[i]
		if err := s.Load(e.manifest.Folder); err != nil {
			return e.manifest.Locate(s.key, err)
		}
		train, _, err := s.Parts(rand.NewPCG(0, 0))
		if err != nil {
			return e.manifest.Errorf(s.key+".scale", "%v", err)
		}
		most = max(most, train.Len())
		methods := slices.DeleteFunc(slices.Clone(e.methods), s.skips)
		if err := learner.Fit(e.manifest, methods, s.Inputs(), len(s.Classes())); err != nil {
			return err
		}
	}
	if e.curve && e.Evaluate.Snapshots == nil {
		for k := most; k > 0 && len(e.Evaluate.Snapshots) < 6; k /= 2 {
			e.Evaluate.Snapshots = append([]int{k}, e.Evaluate.Snapshots...)
		}
	}
	return e.manifest.Locate("", learner.Increasing("evaluate.snapshots", e.Evaluate.Snapshots, most))
}

func (e *experiment) Notes(tables table.Set) (notes []string) {
	runs := tables.Get("runs")
	if runs == nil {
		return nil
	}
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	for _, rows := range runs.GroupBy("method") {
		method, failed := rows.Texts("method")[0], rows.Where("failed", 1)
		if failed.Len() > 0 {
			note("%s broke down in %d of %d runs, and is scored there as equal probabilities", method, failed.Len(),
				rows.Len())
		}
		if e.Save.Network && method == e.saved && failed.Where("seed", e.seeds[0]).Len() > 0 {
			note("no %s is kept: %s broke down", own.File, method)
		}
		if rows.Has("limited") {
			cut, train := floats.Sum(rows.Nums("limited")), floats.Sum(rows.Nums("train"))
			if cut > train/10 {
				note("%s: %g of %g training examples have an input beyond ±32, where its output layer cuts them; "+
					"scale = \"standard\" makes them smaller", method, cut, train)
			}
		}
	}
	return notes
}
