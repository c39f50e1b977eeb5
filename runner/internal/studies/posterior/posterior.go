// Package posterior is the study of the distance to the exact posterior. Networks of one layer, perceptrons
// where there are two classes, and one Gaussian over the weights of all neurons where there are at most four,
// learn a stream of examples. After some of them their predictive is compared with that of the exact
// posterior of the same prior and the likelihood of the softmax.
//
// The streams of all lengths are prefixes of one: the rows after k examples of a long stream are
// those of a stream of k examples.
package posterior

import (
	"cmp"
	"reflect"
	"slices"

	"closedform/internal/field"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/study"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "posterior",
	Asks: "How far is every update from the exact posterior of the same prior?",
	New: study.Decoded(func(m *manifest.Manifest) *experiment {
		return &experiment{
			header: m.Header, Learners: learner.Learners{Model: learner.DefaultModel()},
			Posterior: settings{Draws: 4000, MapGrid: 61},
		}
	}),
}

type experiment struct {
	study.Plain
	Data      data.Sample `toml:"data"`
	Tasks     []task      `toml:"task"`
	Posterior settings    `toml:"posterior"`
	learner.Learners
	Chosen study.Chosen `toml:"figures,omitzero"`
	header manifest.Header
	seeds  []int
	models []learner.Method // every method at everything that is swept
}

// task is one beside that of [data], with prior means of 0 and any number of classes.
type task struct {
	Name string `toml:"name" allowed:"a text"`
	data.Generator
	Snapshots []int `toml:"snapshots" allowed:"increasing numbers up to data.train"`
	Grid      int   `toml:"grid" allowed:"2 to 2,001"`
}

type settings struct {
	Snapshots []int `toml:"snapshots" allowed:"increasing numbers up to data.train"` // of examples seen
	Grid      int   `toml:"grid" allowed:"2 to 2,001"`                               // points along each axis

	// Draws are the number of draws from the exact posterior, in pairs.
	Draws int `toml:"draws"`

	// Probit are the snapshots at which the first ProbitSeeds seeds, or all if that is 0, add the exact
	// posterior of the probit model: the likelihood is that of the probit with ρ = ½ and the slope λ.
	Probit      manifest.Ints `toml:"probit,omitempty" json:",omitempty"`
	ProbitSeeds int           `toml:"probit_seeds,omitempty" json:",omitempty"`

	// Softmax are networks that are predicted by the exact softmax, too, whatever they learn by.
	Softmax []string `toml:"softmax,omitempty" json:",omitempty"`

	// Perceptrons adds Bayesian perceptrons, where there are two classes. λ and what happens to an
	// indefinite step are those of [model], the prior that of the difference of the logits.
	Perceptrons bool `toml:"perceptrons,omitempty"`

	Mapped  manifest.Ints `toml:"mapped"`                        // snapshots that are drawn
	Maps    []string      `toml:"maps"`                          // methods that are drawn beside exact
	MapGrid int           `toml:"map_grid" allowed:"2 to 2,001"` // points of the maps along each axis
}

func (s *settings) Validate() error {
	const most = 1_000_000 // draws
	for i, k := range slices.Concat(s.Mapped, s.Probit) {
		if !slices.Contains(s.Snapshots, k) {
			key := "mapped"
			if i >= len(s.Mapped) {
				key = "probit"
			}
			return field.Errorf(key, "%d is not allowed; allowed: those of snapshots", k)
		}
	}
	if s.Draws < 4 || s.Draws > most || s.Draws%2 != 0 {
		return field.Errorf("draws", "%d is not allowed; allowed: an even number from 4 to %d", s.Draws, most)
	}
	return nil
}

// SetUp works out what follows from the manifest. It reports tasks whose inputs are not uniform on
// a square, over which predictions are averaged evenly, and methods of different priors.
func (e *experiment) SetUp(m *manifest.Manifest) (err error) {
	if e.seeds, err = m.Seeds(e.Sweep.Seed); err != nil {
		return err
	}
	if len(e.Model.Layers) != 2 {
		return field.Errorf("model.layers", "%v is not allowed; allowed: [inputs, classes], "+
			"as the exact posterior is for no hidden layers", e.Model.Layers)
	}
	for i, t := range e.tasks() {
		place, snapshots := "task."+t.Name, "task."+t.Name+".snapshots"
		if i == 0 {
			place, snapshots = "data", "posterior.snapshots"
		}
		err := cmp.Or(field.OneOf(place+".generator", t.Generator.Name, "logistic", "sectors", "wedges"),
			learner.Increasing(snapshots, t.Snapshots, e.Data.Train))
		if err != nil {
			return err
		}
		if n := t.Task().Classes; n != 2 && e.Posterior.Perceptrons {
			return field.Errorf("posterior.perceptrons", "%d classes; allowed: two", n)
		}
	}
	prior := func(m learner.Model) []any {
		return []any{m.Layers, m.Bias, m.PriorMean, m.PriorVar, m.PriorFactor, m.PriorMeanVar}
	}
	for _, v := range e.Methods {
		if !reflect.DeepEqual(prior(v.Model), prior(e.Model)) {
			return field.Errorf("method."+v.Name,
				"all methods have one exact posterior; allowed: layers, bias and prior of [model]")
		}
	}
	names := learner.Names(e.Methods)
	rows := append([]string{
		jointName, probitName, probitName + softmaxSuffix, "perceptron-huber",
		"perceptron-adf",
	}, names...)
	for _, name := range names {
		rows = append(rows, name+softmaxSuffix)
	}
	err = cmp.Or(field.AllOneOf("posterior.softmax", e.Posterior.Softmax, names...), e.Chosen.Check(rows...))
	if err != nil {
		return err
	}
	e.models, err = e.Networks(data.Inputs, e.Data.Task().Classes, 1)
	return err
}

// tasks returns all tasks, that of [data] first.
func (e *experiment) tasks() []task {
	p := e.Posterior
	return append([]task{{e.Data.Name, e.Data.Generator, p.Snapshots, p.Grid}}, e.Tasks...)
}
