// Package learn is the study of how methods learn from a stream of examples. All methods learn the same
// examples of a set in the same order, and are scored along the stream and at its end. A cell (cells.go)
// trains and scores one method (run.go); tables.go has the means over the seeds.
package learn

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/field"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/manifest"
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
	one struct {
		Data Source `toml:"data"`
	}
	many struct {
		Sets []set `toml:"set" allowed:"at least one table headed [[set]]"`
	}
	learner.Learners
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
	swept    []string         // columns of what is swept
	heat     bool             // both λ and ρ are swept
	curve    bool             // methods are scored along the stream
	predicts bool             // there are predictions of the test part
	mapped   bool             // there are maps of the plane
}

// Extend implements [manifest.Extended]: examples come from the table [data] or from tables [[set]].
func (e *experiment) Extend(table map[string]any) error {
	if table["set"] != nil {
		e.many.Sets = []set{}
	}
	return nil
}

func (e *experiment) Extension() any {
	if e.many.Sets != nil {
		return &e.many
	}
	return &e.one
}

type evaluate struct {
	Order  []Order `toml:"order"`  // orders of the stream, each learned separately; default "shuffled"
	Passes []int   `toml:"passes"` // score after so many passes, the last is their number; default 1
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

// Source is a table of data. The test part may be the points of a grid, of a generator.
type Source struct {
	data.Source
	Grid int `toml:"grid,omitzero" json:",omitzero"` // test part: points of a grid along each axis; default none
}

// Validate reports invalid values.
func (s *Source) Validate() error {
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
}

func (s *set) learnedBy(m learner.Method) bool {
	return len(s.Methods) == 0 || slices.Contains(s.Methods, m.Base)
}

// SetUp works out sets, methods and seeds.
func (e *experiment) SetUp(m *manifest.Manifest) (err error) {
	e.manifest, e.sets = m, e.many.Sets
	e.named, e.heat = len(e.sets) > 0, len(e.Sweep.Lambda) > 1 && len(e.Sweep.Rho) > 1
	if !e.named {
		e.sets = []set{{Name: "data", Source: e.one.Data}}
	}
	if len(e.Sweep.Lambda) > 0 {
		e.swept = append(e.swept, "lambda")
	}
	if len(e.Sweep.Rho) > 0 {
		e.swept = append(e.swept, "rho")
	}
	plain := !e.named && e.swept == nil && e.Evaluate.single()
	e.predicts = plain && e.one.Data.Grid == 0
	e.curve = e.Evaluate.Snapshots != nil || e.predicts // after six snapshots
	e.mapped = e.Evaluate.Snapshots != nil && plain && !e.predicts
	for i := range e.sets {
		e.sets[i].Source.Source = e.sets[i].WithDefaults()
	}
	if e.seeds, err = m.Seeds(e.Sweep.Seed); err == nil {
		e.methods, err = e.Expand()
	}
	for _, m := range slices.Backward(e.methods) {
		if m.ClosedForm() {
			e.saved = m.Name
		}
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
		s, key := &e.sets[i], "data"
		if e.named {
			key = "set." + s.Name
		}
		if err := s.Load(e.manifest.Folder); err != nil {
			return e.manifest.Locate(key, err)
		}
		train, _, err := s.Parts(rand.NewPCG(0, 0))
		if err != nil {
			return e.manifest.Errorf(key+".scale", "%v", err)
		}
		most = max(most, train.Len())
		others := func(m learner.Method) bool { return !s.learnedBy(m) }
		methods := slices.DeleteFunc(slices.Clone(e.methods), others)
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

// Notes names methods that failed, and output layers whose inputs are too large.
func (e *experiment) Notes(tables table.Set) (notes []string) {
	runs := tables.Get("runs")
	if runs == nil {
		return nil
	}
	for _, rows := range runs.GroupBy("method") {
		method := rows.Texts("method")[0]
		if failed := rows.Where("failed", 1).Len(); failed > 0 {
			notes = append(notes, fmt.Sprintf("%s broke down in %d of %d runs, and is scored there as equal "+
				"probabilities", method, failed, rows.Len()))
		}
		if !rows.Has("limited") {
			continue
		}
		if cut, train := floats.Sum(rows.Nums("limited")), floats.Sum(rows.Nums("train")); cut > train/10 {
			notes = append(notes, fmt.Sprintf("%s: %g of %g training examples have an input beyond ±32, where its "+
				"output layer cuts them; scale = \"standard\" makes them smaller", method, cut, train))
		}
	}
	if e.Save.Network && runs.Where("method", e.saved).Where("seed", e.seeds[0]).Where("failed", 1).Len() > 0 {
		notes = append(notes, fmt.Sprintf("no %s is kept: %s broke down", savedFile, e.saved))
	}
	return notes
}
