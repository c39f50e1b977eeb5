// Package posterior is the study of the distance to the exact answer. Networks of one layer,
// perceptrons where there are two classes, and one Gaussian over the weights of all neurons where
// there are at most four, learn a stream of examples. After some of them their predictive is
// compared with that of the exact posterior of the same prior and the likelihood of the softmax.
//
// The streams of all lengths are prefixes of one: the rows after k examples of a long stream are
// those of a stream of k examples.
package posterior

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"closedform/baselines/learners/perceptron"
	"closedform/internal/field"
	"closedform/runner/internal/config"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "posterior",
	Asks: "How far is every update from the exact posterior of the same prior?",
	New: study.Decoded(func(m *config.Manifest) *experiment {
		return &experiment{header: m.Header, Learners: learner.Learners{Model: learner.DefaultModel()}, Posterior: settings{Draws: 4000, MapGrid: 61}}
	}),
}

type experiment struct {
	study.Plain
	Data      data.Sample `toml:"data"`
	Tasks     []task      `toml:"task"`
	Posterior settings    `toml:"posterior"`
	learner.Learners
	header config.Header
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
	Snapshots []int `toml:"snapshots" allowed:"increasing numbers up to data.train"` // numbers of examples seen
	Grid      int   `toml:"grid" allowed:"2 to 2,001"`                               // points along each axis at which predictions are compared
	Draws     int   `toml:"draws"`                                                   // from the exact posterior, in pairs

	Joint bool `toml:"joint"` // one Gaussian over the weights of all neurons, too, up to four classes

	// Perceptrons are Bayesian perceptrons beside the networks, where there are two classes. λ and
	// what happens to an indefinite step are those of [model], the prior that of the difference of
	// the logits.
	Perceptrons []perceptron.Rule `toml:"perceptrons"`

	Mapped  config.Ints `toml:"mapped"`                        // snapshots that are drawn
	Maps    []string    `toml:"maps"`                          // methods and perceptrons that are drawn beside the exact posterior
	MapGrid int         `toml:"map_grid" allowed:"2 to 2,001"` // points of the maps along each axis
}

// What has rows in the tables beside the networks: the exact posterior, one Gaussian over all
// weights, equal probabilities for all classes, and the perceptrons, whose names begin so.
const (
	exactName        = "exact"
	jointName        = "adf_exact_joint"
	uniformName      = "uniform"
	perceptronPrefix = "perceptron-"
)

func (s *settings) Validate() error {
	const most = 1_000_000 // draws
	outside := slices.IndexFunc(s.Mapped, func(k int) bool { return !slices.Contains(s.Snapshots, k) })
	switch {
	case outside >= 0:
		return field.Errorf("mapped", "%d is not allowed; allowed: those of snapshots", s.Mapped[outside])
	case s.Draws < 4 || s.Draws > most || s.Draws%2 != 0:
		return field.Errorf("draws", "%d is not allowed; allowed: an even number, as they come in pairs, from 4 to %d", s.Draws, most)
	}
	return field.AllOneOf("perceptrons", s.Perceptrons, perceptron.Huber, perceptron.ADF)
}

// SetUp works out what follows from the manifest. It reports tasks whose inputs are not uniform on
// a square, over which predictions are averaged evenly, and methods of different priors.
func (e *experiment) SetUp(m *config.Manifest) (err error) {
	if e.seeds, err = m.Seeds(e.Sweep.Seed); err != nil {
		return err
	}
	if len(e.Model.Layers) != 2 {
		return field.Errorf("model.layers", "%v is not allowed; allowed: [inputs, classes], as the exact posterior is for no hidden layers", e.Model.Layers)
	}
	for i, t := range e.tasks() {
		at, snapshots := "task."+t.Name, "task."+t.Name+".snapshots"
		if i == 0 {
			at, snapshots = "data", "posterior.snapshots"
		}
		err := cmp.Or(field.OneOf(at+".generator", t.Generator.Name, "logistic", "sectors", "wedges"), learner.Increasing(snapshots, t.Snapshots, e.Data.Train))
		switch {
		case err != nil:
			return err
		case i > 0 && t.Name == e.Data.Name:
			return field.Errorf(at+".name", "not allowed: the generator of [data] is called so")
		case t.Task().Classes != 2 && len(e.Posterior.Perceptrons) > 0:
			return field.Errorf("posterior.perceptrons", "%d classes; allowed: only with two", t.Task().Classes)
		}
	}
	prior := func(m learner.Model) []any {
		return []any{m.Layers, m.Bias, m.PriorMean, m.PriorVar, m.PriorFactor, m.PriorMeanVar}
	}
	for _, v := range e.Methods {
		switch {
		case !reflect.DeepEqual(prior(v.Model), prior(e.Model)):
			return field.Errorf("method."+v.Name, "all methods have one exact posterior; allowed: layers, bias and prior of [model]")
		case slices.Contains([]string{exactName, jointName, uniformName}, v.Name), strings.HasPrefix(v.Name, perceptronPrefix):
			return field.Errorf("method."+v.Name+".name", "not allowed: the tables have other rows of this name")
		}
	}
	if e.models, err = e.Networks(data.Inputs, e.Data.Task().Classes, 1); err != nil {
		return err
	}
	mapped := learner.Names(e.models)
	if e.Posterior.Joint && e.Data.Task().Classes <= mostJoint {
		mapped = append(mapped, jointName)
	}
	for _, rule := range e.Posterior.Perceptrons {
		mapped = append(mapped, perceptronPrefix+string(rule))
	}
	return field.AllOneOf("posterior.maps", e.Posterior.Maps, mapped...)
}

// tasks returns all tasks, that of [data] first.
func (e *experiment) tasks() []task {
	return append([]task{{e.Data.Name, e.Data.Generator, e.Posterior.Snapshots, e.Posterior.Grid}}, e.Tasks...)
}
