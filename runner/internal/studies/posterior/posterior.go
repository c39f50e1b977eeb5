// Package posterior is the study of the distance to the exact posterior. Networks of one layer, perceptrons
// for two classes, and one Gaussian over the weights of all neurons learn a stream of examples. At snapshots
// their predictive is compared with that of the exact posterior with the same prior and the softmax
// likelihood. Longer streams begin with the shorter ones.
package posterior

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"closedform/internal/field"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/plots"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "posterior",
	Asks: "How far is every update from the exact posterior of the same prior?",
	New: func(m *manifest.Manifest) (study.Experiment, error) {
		return study.Decode(m, &experiment{
			header: m.Header, Learners: learner.Learners{Model: learner.DefaultModel()},
			Posterior: settings{Draws: 4000},
		})
	},
}

type experiment struct {
	study.Plain
	Data      data.Sample `toml:"data"`
	Tasks     []task      `toml:"task"`
	Posterior settings    `toml:"posterior"`
	learner.Learners
	Contrasts []contrast     `toml:"contrast,omitempty"`
	Sweep     manifest.Sweep `toml:"sweep"`
	Chosen    plots.Chosen   `toml:"figures,omitzero"`
	header    manifest.Header
	seeds     []int
	models    []learner.Method // the methods, with their Layers set
}

type task struct {
	Name string `toml:"name" check:"required"` // name in rows of tables
	data.Generator
	Comparison
}

// Comparison says after what and where predictions are compared.
type Comparison struct {
	// Snapshots are numbers of examples, up to data.train, after which networks are compared.
	Snapshots []int `toml:"snapshots" check:"required increasing" range:"1 1,000,000"`
	// Grid is the number of points along each axis of a grid of test inputs.
	Grid int `toml:"grid" check:"required" range:"2 2,001"`
}

type settings struct {
	Comparison
	// Draws are draws from the exact posterior, an even number; default 4000.
	Draws int `toml:"draws" check:"required" range:"4 1,000,000"`

	// ProbitSeeds is how many seeds add the exact posterior of the probit with ρ = ½ and the slope λ; default 0.
	ProbitSeeds int `toml:"probit_seeds,omitempty" json:",omitempty"`
	// Softmax are networks that the exact softmax predicts, too, in rows NAME-softmax; default none.
	Softmax []string `toml:"softmax,omitempty" json:",omitempty" check:"distinct"`

	Mapped manifest.Ints `toml:"mapped" check:"distinct"` // snapshots that have maps; default none
	// Maps are methods that have maps, beside the exact posterior; default none.
	Maps []string `toml:"maps" check:"distinct"`
}

func (s *settings) Validate() error {
	never := func(k int) bool { return !slices.Contains(s.Snapshots, k) }
	return errors.Join(field.Refuse(s.Draws%2 != 0, "draws", s.Draws, "an even number"),
		field.Refuse(slices.ContainsFunc(s.Mapped, never), "mapped", s.Mapped, "those of snapshots"))
}

// SetUp derives what follows from the manifest. It rejects tasks whose inputs are not uniform on a square,
// over which predictions are averaged, and methods with different priors.
func (e *experiment) SetUp(m *manifest.Manifest) (err error) {
	e.seeds, err = m.Seeds(e.Sweep.Seed)
	err = errors.Join(err, field.Refuse(len(e.Model.Layers) > 2 || e.Model.HiddenLayers != nil, "model.layers",
		e.Model.Layers, "[inputs, classes], as the exact posterior is for no hidden layers"))
	for i, t := range e.tasks() {
		place, snapshots := "task."+t.Name, "task."+t.Name+".snapshots"
		if i == 0 {
			place, snapshots = "data", "posterior.snapshots"
		}
		err = errors.Join(err,
			field.Among(place+".generator", []string{"logistic", "sectors", "wedges"}, t.Generator.Name),
			field.Between(snapshots, 1, e.Data.Train, t.Snapshots...))
	}
	prior := func(m learner.Model) []any {
		return []any{m.Layers, m.HiddenLayers, m.Bias, m.PriorMean, m.PriorVar, m.PriorFactor, m.PriorMeanVar}
	}
	for _, v := range e.Methods {
		if !reflect.DeepEqual(prior(v.Model), prior(e.Model)) {
			err = errors.Join(err, field.Errorf("method."+v.Name, "has other layers, bias or prior than [model]; "+
				"allowed: those, as all methods have one exact posterior"))
		}
	}
	if err != nil {
		return err
	}
	p, names := e.Posterior, append(learner.Names(e.Methods), joint[:]...)
	if e.Data.Task().Classes == 2 {
		names = append(names, "perceptron-huber", "perceptron-adf")
	}
	rows := append(names, probitName)
	for _, name := range p.Softmax {
		rows = append(rows, name+softmaxSuffix)
	}
	for i, c := range e.Contrasts {
		err = errors.Join(err, field.Among(fmt.Sprintf("contrast.%d.method", i+1), rows, c.Method),
			field.Among(fmt.Sprintf("contrast.%d.against", i+1), append(rows, exactName), c.Against))
	}
	err = errors.Join(err, field.Among("posterior.softmax", names[:len(e.Methods)], p.Softmax...),
		field.Among("posterior.maps", names, p.Maps...), e.Chosen.Check(rows...))
	if err == nil {
		e.models, err = e.Networks(e.Data.Task().Inputs, e.Data.Task().Classes)
	}
	return err
}

func (e *experiment) tasks() []task {
	return append([]task{{e.Data.Name, e.Data.Generator, e.Posterior.Comparison}}, e.Tasks...)
}

// Result has the total variation of all methods after the last examples of each task.
func (e *experiment) Result(tables table.Tables, _ map[string]float64) (r study.Result) {
	summary, last := tables.Get("curve_summary"), map[string]float64{}
	for i, k := range summary.Nums("k") {
		last[summary.Texts("task")[i]] = max(last[summary.Texts("task")[i]], k)
	}
	var rows []int
	for i, k := range summary.Nums("k") {
		if k == last[summary.Texts("task")[i]] && summary.Texts("method")[i] != exactName {
			rows = append(rows, i)
		}
	}
	r.Tables = append(r.Tables, summary.Rows(rows).Pivot(table.Pivot{
		Title: "total variation, last snapshot", Value: "tv", Format: "%.3f",
		Rows: []string{"method"}, Across: []string{"task"}, Lowest: true,
	}))
	return r
}
