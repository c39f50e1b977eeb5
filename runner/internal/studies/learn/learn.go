// Package learn is the study of how methods learn from a stream of examples. All methods learn the same
// examples of a set in the same order, and are scored along the stream and at its end. A cell (cells.go)
// trains and scores one method (run.go); tables.go has the means over the seeds.
package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
	Published []published  `toml:"published,omitempty" json:"-"` // results of others, to be printed beside
	Chosen    plots.Chosen `toml:"figures,omitzero"`
	Save      struct {
		Network bool `toml:"network,omitempty"`  // keep the first closed-form method and seed; default false
		AllRows bool `toml:"all_rows,omitempty"` // after the test it learns the test part, too; default false
	} `toml:"save,omitempty"`

	manifest *manifest.Manifest
	seeds    []int
	sets     []set              // the tables [[set]], or [data] as a set called data
	methods  []learner.Method   // each method, with each λ and ρ of the sweep
	saved    string             // name of the first closed-form method, whose network is saved
	named    bool               // sets are tables [[set]]
	swept    bool               // λ is swept, or both λ and ρ
	curve    bool               // methods are scored along the stream
	stream   bool               // the sets have no test part
	plain    bool               // one set, one order, no sweep: predictions, or maps of a grid, are kept
	overlap  map[string]float64 // test examples per training example of the sets that each seed splits anew
}

type evaluate struct {
	Order []Order `toml:"order" check:"required distinct"` // orders of the stream; default "shuffled"
	// Passes are the passes after which to score; default 1.
	Passes []int `toml:"passes" check:"required increasing" range:"1 10,000"`
	// Snapshots are numbers of examples of the first pass after which to score; default none, with [data] six.
	Snapshots []int `toml:"snapshots,omitempty" check:"increasing" range:"1 1,000,000"`
	// Validation is the share of the training part that chooses candidates, of a stream the first examples, which
	// have no part in the scores; default 0.2.
	Validation float64 `toml:"validation" check:"required" range:"1e-6 0.999999"`

	Orders    int `toml:"orders,omitzero" range:"2 1000"`    // "repeated": number of orders of the same examples
	Resamples int `toml:"resamples,omitzero" range:"2 1000"` // "repeated": number of other samples of examples
	// Samples is the number of samples of Monte Carlo at a point of the grid; default none.
	Samples int `toml:"samples,omitzero" range:"1 1,000,000,000"`
	// Stride puts Monte Carlo on every stride-th line of the grid; default 1.
	Stride int `toml:"stride,omitzero" range:"1 2,001"`

	// Windows is the number of windows of a stream for its curve; default 1.
	Windows int `toml:"windows,omitzero" json:",omitzero" range:"1 1000"`
	// Promise is the share of wrong answers that is promised after half of a stream; default 0.05.
	Promise float64 `toml:"promise,omitzero" json:",omitzero" range:"1e-6 0.999999"`

	Reference string `toml:"reference,omitempty" json:"-"` // compare methods with this one; default none
	// LeaveOut are methods, one of which is chosen for each set on the others; default none.
	LeaveOut []string `toml:"leave_out,omitempty" json:"-" check:"distinct"`
	// SplitsOf is the experiment whose splits and orders to reuse; default this one.
	SplitsOf string `toml:"splits_of,omitempty" json:"-"`
}

type sweep struct {
	manifest.Sweep
	// Lambda are slopes in place of each lambda; default none.
	Lambda []float64 `toml:"lambda,omitempty" check:"distinct" range:"1e-30 1e30"`
	// Rho are correlations in place of each rho, with lambda; default none.
	Rho []float64 `toml:"rho,omitempty" check:"distinct" range:"0 0.99"`
}

// Source is a table of data. The test part may be the points of a grid, of a generator.
type Source struct {
	data.Source
	// Grid is the test part: points of a grid along each axis; default none.
	Grid int `toml:"grid,omitzero" json:",omitzero" range:"2 2,001"`
}

func (s *Source) missing() bool { return reflect.ValueOf(*s).IsZero() }

// Validate reports what does not go together, unless the table is missing.
func (s *Source) Validate() error {
	switch {
	case s.missing():
		return nil
	case s.Grid == 0:
		return s.Source.Validate()
	case s.Generator.Name == "" || s.Test > 0 || s.Scale != "" || s.Stream:
		return field.Refuse(true, "grid", s.Grid, "with a generator, in place of test, scale and stream")
	}
	err := s.Sample.Validate()
	if err == nil && s.Task().Probabilities == nil {
		return field.Refuse(true, "grid", s.Grid, "with known class probabilities; with the generator "+
			s.Generator.Name+" test = a number")
	}
	return err
}

type set struct {
	Name string `toml:"name" check:"required"` // name in rows of tables
	// Splits is how many of the first seeds learn it; default all.
	Splits int `toml:"splits,omitzero" range:"1 1,000,000"`
	// Methods are names of the methods that learn it; default all.
	Methods []string `toml:"methods,omitempty" check:"distinct"`
	Order   []Order  `toml:"order,omitempty" check:"distinct"` // some of the orders in [evaluate]; default all
	Source
	key string // path of the set's table in the manifest, such as set.iris
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
	streams := e.checkStreams()
	e.plain = !e.named && !e.swept && !e.stream && e.Evaluate.single()
	e.curve = e.Evaluate.Snapshots != nil || e.plain && e.Data.Grid == 0 // Prepare chooses Snapshots
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
	return errors.Join(err, streams, e.check())
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

// check reports values of several tables that exclude each other.
func (e *experiment) check() error {
	names, refuse := learner.Names(e.Methods), field.Refuse
	err := errors.Join(e.Chosen.Check(names...), field.In("evaluate", e.checkEvaluate(names)),
		refuse(e.named && !e.Data.missing(), "data", "[data]", "without tables [[set]]"),
		refuse(e.swept && e.Sweep.Lambda == nil, "sweep.rho", e.Sweep.Rho, "together with lambda = [numbers]"),
		refuse(e.Save.Network && (e.named || !e.curve), "save.network", true, "with [data] and snapshots"),
		refuse(e.Save.AllRows && !e.Save.Network, "save.all_rows", true, "with network = true"))
	for _, s := range e.sets {
		err = errors.Join(err, field.In(s.key, s.check(&e.Evaluate, names)))
	}
	for i := range e.Contrasts {
		c := &e.Contrasts[i]
		c.Score, c.Test = cmp.Or(c.Score, "log_loss"), cmp.Or(c.Test, "t")
		err = errors.Join(err, field.In(fmt.Sprint("contrast.", i+1), errors.Join(
			field.Among("method", names, c.Method), field.Among("against", names, c.Against),
			refuse(c.Method == c.Against, "against", c.Against, "another method"),
			refuse(c.Test == wilcoxon && len(e.sets) < 2, "test", c.Test, "with two or more sets"))))
	}
	for _, m := range e.Methods {
		err = errors.Join(err, field.In("method."+m.Name, e.checkMethod(&m)))
	}
	return err
}

func (e *experiment) checkEvaluate(names []string) error {
	v, repeated, compared, refuse := &e.Evaluate, e.Evaluate.repeated(), e.Evaluate.Reference != "", field.Refuse
	const only = `2 to 1000 with order = "repeated", else none`
	return errors.Join(
		field.Among("leave_out", names, v.LeaveOut...),
		field.Among("reference", names, strings.Fields(v.Reference)...),
		refuse(repeated && !v.single(), "order", v.Order, "one or more, or repeated alone"),
		refuse(repeated == (v.Orders == 0), "orders", v.Orders, only),
		refuse(repeated == (v.Resamples == 0), "resamples", v.Resamples, only),
		refuse(repeated && v.Snapshots == nil, "snapshots", v.Snapshots, "sizes of training sets, if repeated"),
		refuse(!v.single() && v.Snapshots != nil, "snapshots", v.Snapshots, "none, of several orders"),
		refuse(!v.single() && slices.Max(v.Passes) > 1, "passes", v.Passes, "1, of several orders"),
		refuse(!compared && len(v.LeaveOut)+len(e.Contrasts) > 0, "reference", nil, "the name of a [[method]]"),
		refuse(compared && (e.swept || repeated || !v.single()), "reference", v.Reference,
			"if nothing is swept or repeated, in one order"),
		refuse(len(v.LeaveOut) > 0 && len(e.sets) < 2, "leave_out", v.LeaveOut, "with two or more sets"))
}

func (s *set) check(v *evaluate, names []string) error {
	compared := v.Reference != ""
	return errors.Join(field.Among("methods", names, s.Methods...), field.Among("order", v.Order, s.Order...),
		field.Refuse(compared && s.Name == allSets, "name", s.Name, "a name other than "+allSets),
		field.Refuse(compared && s.Methods != nil && (v.LeaveOut != nil || !slices.Contains(s.Methods, v.Reference)),
			"methods", s.Methods, "with the method that evaluate.reference names, and without evaluate.leave_out"),
		field.Refuse(v.repeated() && s.Generator.Name == "", "generator", nil, "one, for a repeated order"))
}

func (e *experiment) checkMethod(m *learner.Method) error {
	v, n, rule, candidates := &e.Evaluate, len(m.Candidates), m.Model.Output, 0
	for _, other := range e.Methods {
		candidates = cmp.Or(candidates, len(other.Candidates))
	}
	fits := rule == bnn.Joint || rule == bnn.Total
	fits = fits || e.Sweep.Rho == nil && (rule == bnn.ADF || rule == bnn.ADFMarginal)
	return errors.Join(
		field.Refuse(v.Reference != "" && n > 0 && n != candidates, "candidates", m.Candidates,
			fmt.Sprint(candidates, ", as of others")),
		field.Refuse(e.swept && (!fits || m.Model.Readout != ""), "rule", rule,
			`a network with "joint" or "total", or to sweep lambda alone "adf" or "adf-marginal"`),
		field.Refuse(e.stream && !m.Online(), "kind", m.Kind,
			"a kind that learns one example after another, with stream = true"),
		field.Refuse(e.stream && m.Passes > 1, "passes", m.Passes, "1, with stream = true"),
		field.Refuse(m.OwnOrders && (e.curve || e.stream || orders[v.Order[0]] == nil), "own_orders", true,
			"without snapshots and stream = true"),
		field.Refuse(m.Splits > 0 && m.Name == v.Reference, "splits", m.Splits, "all seeds, of the reference"))
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
		train, test, _ := s.Parts(rand.NewPCG(0, 0)) // no error: Load has tried the same parts
		if largest = max(largest, train.Len()); s.TestFraction > 0 {
			e.overlap[s.Name] = float64(test.Len()) / float64(train.Len())
		}
		if e.stream {
			if err := e.checkScored(s.Name, train.Len()); err != nil {
				return e.manifest.Locate("", err)
			}
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
	return e.manifest.Locate("", field.Between("evaluate.snapshots", 1, largest, e.Evaluate.Snapshots...))
}
