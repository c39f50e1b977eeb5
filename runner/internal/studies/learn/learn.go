// Package learn is the study of how methods learn from a stream of examples. All methods learn the same
// examples of a set in the same order, and are scored along the stream and at its end. A cell (cells.go)
// trains and scores one method (run.go); tables.go has the means over the seeds.
package learn

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"closedform/core/bnn"
	"closedform/internal/field"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/plots"
	"closedform/runner/internal/slope"
	"closedform/runner/internal/study"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "learn",
	Asks: "How well do methods learn from a stream of examples?",
	New: func(m *manifest.Manifest) (study.Experiment, error) {
		return study.Decode(m, &experiment{
			Evaluate: evaluate{Order: []Order{Shuffled}, Passes: []int{1}, Validation: 0.2},
			Learners: learner.Learners{Model: learner.DefaultModel()},
		})
	},
}

type experiment struct {
	Data Source `toml:"data,omitzero"`
	Sets []set  `toml:"set,omitempty"` // in place of data
	learner.Learners
	Sweep     sweep        `toml:"sweep"`
	Evaluate  evaluate     `toml:"evaluate"`
	Contrasts []contrast   `toml:"contrast,omitempty"`
	Chosen    plots.Chosen `toml:"figures,omitzero"`
	Save      struct {
		Network bool `toml:"network,omitempty"`  // keep the first closed-form method and seed; default false
		AllRows bool `toml:"all_rows,omitempty"` // after the test it learns the test part, too; default false
	} `toml:"save,omitempty"`

	manifest *manifest.Manifest
	seeds    []int
	sets     []set              // the tables [[set]], or [data] as a set called data
	methods  []learner.Method   // each method, with each λ and ρ of the sweep
	saved    string             // the first closed-form method
	named    bool               // sets are tables [[set]]
	swept    bool               // λ is swept, or both λ and ρ
	curve    bool               // methods are scored along the stream
	plain    bool               // one set, one order, no sweep: predictions, or maps of a grid, are kept
	overlap  map[string]float64 // test examples per training example of the sets that each seed splits anew
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
	switch {
	case s.missing():
		return nil
	case s.Grid == 0:
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

type set struct {
	Name    string   `toml:"name" allowed:"a text"` // name in rows of tables
	Splits  int      `toml:"splits,omitzero"`       // learn it with the first so many seeds only; default all
	Methods []string `toml:"methods,omitempty"`     // names of the methods that learn it; default all
	Order   []Order  `toml:"order,omitempty"`       // some of the orders in [evaluate]; default all
	Source
	key string // its table in the manifest, such as set.iris
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
	e.plain = !e.named && !e.swept && e.Evaluate.single()
	e.curve = e.Evaluate.Snapshots != nil || e.plain && e.Data.Grid == 0 // Prepare chooses snapshots
	for i := range e.sets {
		s := &e.sets[i]
		if s.key = cmp.Or(s.key, "set."+s.Name); s.missing() {
			return m.Locate(s.key, s.Source.Source.Validate())
		}
	}
	e.methods = e.sweptMethods()
	if i := slices.IndexFunc(e.methods, func(m learner.Method) bool { return m.ClosedForm() }); i >= 0 {
		e.saved = e.methods[i].Name
	}
	e.seeds, err = m.Seeds(e.Sweep.Seed)
	return cmp.Or(err, e.check())
}

func (e *experiment) sweptMethods() (methods []learner.Method) {
	if !e.swept {
		return e.Listed()
	}
	for _, method := range e.Listed() {
		rhos := e.Sweep.Rho
		if rhos == nil {
			rhos = []float64{method.Model.Rho}
		}
		for _, lambda := range e.Sweep.Lambda {
			for _, rho := range rhos {
				method.Model.Lambda, method.Model.Rho = slope.Lambda{Number: lambda}, rho
				methods = append(methods, method)
			}
		}
	}
	return methods
}

func (e *experiment) check() error {
	v, names := &e.Evaluate, learner.Names(e.Methods)
	single, repeated, compared, refuse := v.single(), v.repeated(), v.Reference != "", field.Refuse
	err := cmp.Or(
		refuse(e.named && !e.Data.missing(), "data", "without tables [[set]]"),
		field.Distinct("evaluate.order", v.Order),
		field.AllOneOf("evaluate.order", v.Order, slices.Sorted(maps.Keys(orders))...),
		refuse(repeated && len(v.Order) > 1, "evaluate.order", "one or more, or repeated alone"),
		learner.Increasing("evaluate.passes", v.Passes, 10_000),
		learner.Increasing("evaluate.snapshots", v.Snapshots, manifest.MaxTrain),
		field.Within("evaluate.samples", v.Samples, 0, 1_000_000_000),
		field.Within("evaluate.stride", v.Stride, 0, 2001), e.Chosen.Check(names...),
		field.AllOneOf("evaluate.leave_out", v.LeaveOut, names...),
		field.AllOneOf("evaluate.reference", strings.Fields(v.Reference), names...),
		refuse(!single && slices.Max(v.Passes) > 1, "evaluate.passes", "1, of several orders"),
		refuse(!single && v.Snapshots != nil, "evaluate.snapshots", "none, of several orders"),
		refuse(!(v.Validation > 0 && v.Validation < 1), "evaluate.validation", "above 0 and below 1"),
		refuse(repeated && v.Snapshots == nil, "evaluate.snapshots", "sizes of training sets, if repeated"),
		refuse(!repeated && v.Orders+v.Resamples > 0, "evaluate.order", "repeated, with orders and resamples"),
		refuse(repeated && !(v.Orders > 1 && v.Orders <= 1000), "evaluate.orders", "2 to 1000"),
		refuse(repeated && !(v.Resamples > 1 && v.Resamples <= 1000), "evaluate.resamples", "2 to 1000"),
		refuse(e.Save.Network && (e.named || !e.curve), "save.network", "with [data] and snapshots"),
		refuse(e.Save.AllRows && !e.Save.Network, "save.all_rows", "with network = true"),
		refuse(!compared && len(v.LeaveOut)+len(e.Contrasts) > 0, "evaluate.reference", "the name of a [[method]]"),
		refuse(compared && (e.swept || repeated || !single), "evaluate.reference",
			"if nothing is swept or repeated, in one order"),
		refuse(len(v.LeaveOut) > 0 && len(e.sets) < 2, "evaluate.leave_out", "with two or more sets"),
		refuse(e.swept && e.Sweep.Lambda == nil, "sweep.rho", "together with lambda = [numbers]"),
		field.AllWithin("sweep.lambda", e.Sweep.Lambda, 1e-30, 1e30),
		field.AllWithin("sweep.rho", e.Sweep.Rho, 0, slope.MostRho),
		field.Distinct("sweep.lambda", e.Sweep.Lambda), field.Distinct("sweep.rho", e.Sweep.Rho),
	)
	for _, s := range e.sets {
		key := s.key + "."
		err = cmp.Or(err, field.Within(key+"splits", s.Splits, 0, manifest.MaxSeed),
			field.AllOneOf(key+"methods", s.Methods, names...), field.AllOneOf(key+"order", s.Order, v.Order...),
			refuse(compared && s.Name == allSets, key+"name", "a name other than "+allSets),
			refuse(compared && s.Methods != nil, key+"methods", "without evaluate.reference"),
			refuse(repeated && s.Generator.Name == "", key+"generator", "one, for a repeated order"))
	}
	for i := range e.Contrasts {
		c, key := &e.Contrasts[i], fmt.Sprintf("contrast.%d.", i+1)
		c.Score = cmp.Or(c.Score, "log_loss")
		both := []string{c.Method, c.Against}
		err = cmp.Or(err, field.AllOneOf(key+"method", both, names...), field.Distinct(key+"method", both),
			field.OneOf(key+"score", c.Score, "log_loss", "error"))
	}
	candidates := 0
	for _, m := range e.Methods {
		key, n, rule := "method."+m.Name+".", len(m.Candidates), m.Model.Output
		candidates = cmp.Or(candidates, n)
		rho := rule == bnn.Joint || rule == bnn.Total
		fits := rho || e.Sweep.Rho == nil && (rule == bnn.ADF || rule == bnn.ADFMarginal)
		fits = fits && m.ClosedForm() && m.Model.Readout == ""
		err = cmp.Or(err,
			refuse(compared && n > 0 && n != candidates, key+"candidates", fmt.Sprint(candidates, ", as of others")),
			refuse(e.swept && !fits, "sweep.lambda", "lambda with the rules joint, total, adf and adf-marginal, "+
				"rho with joint and total, unlike the method "+m.Name),
			refuse(m.OwnOrders && (e.curve || orders[v.Order[0]] == nil), key+"own_orders", "without snapshots"),
			refuse(m.Splits > 0 && m.Name == v.Reference, key+"splits", "0, all seeds, of the reference"))
	}
	return err
}

func (v *evaluate) single() bool { return len(v.Order) == 1 }

func (v *evaluate) repeated() bool { return slices.Contains(v.Order, Repeated) }

func (e *experiment) Files() (paths, about []string) {
	for _, s := range e.sets {
		paths, about = append(paths, s.Paths(e.manifest.Folder)...), append(about, s.About()...)
	}
	return paths, about
}

func (e *experiment) Prepare(context.Context) error {
	largest := 0 // number of training examples
	e.overlap = map[string]float64{}
	for i := range e.sets {
		s := &e.sets[i]
		if err := s.Load(e.manifest.Folder); err != nil {
			return e.manifest.Locate(s.key, err)
		}
		train, test, _ := s.Parts(rand.NewPCG(0, 0)) // without error, as in Load
		if largest = max(largest, train.Len()); s.TestFraction > 0 {
			e.overlap[s.Name] = float64(test.Len()) / float64(train.Len())
		}
		methods := slices.DeleteFunc(slices.Clone(e.methods), s.skips)
		if err := learner.Fit(e.manifest, methods, s.Inputs(), len(s.Classes())); err != nil {
			return err
		}
	}
	if e.curve && e.Evaluate.Snapshots == nil {
		for k := largest; k > 0 && len(e.Evaluate.Snapshots) < 6; k /= 2 {
			e.Evaluate.Snapshots = append([]int{k}, e.Evaluate.Snapshots...)
		}
	}
	return e.manifest.Locate("", learner.Increasing("evaluate.snapshots", e.Evaluate.Snapshots, largest))
}
