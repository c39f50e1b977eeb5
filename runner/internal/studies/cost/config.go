// Package cost is the study of what a step of the network costs against its size: one
// number at a time is changed, and the logarithms of time and size are compared.
package cost

import (
	"cmp"

	"closedform/internal/field"
	"closedform/runner/internal/config"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "cost",
	Asks: "How do time and memory grow with classes, width, inputs and examples?",
	New: study.Decoded(func(m *config.Manifest) *experiment {
		return &experiment{header: m.Header, Model: learner.DefaultModel()}
	}),
}

type experiment struct {
	study.Plain
	Cost    settings        `toml:"cost"`
	Model   learner.Model   `toml:"model"` // its layers are those that one size is changed of
	Methods []learner.Named `toml:"method" inherit:"model"`

	header config.Header
	models []learner.Named
}

type settings struct {
	Classes  config.Ints `toml:"classes" allowed:"each 2 to 1,000"`       // numbers of classes
	Width    config.Ints `toml:"width" allowed:"each 1 to 10,000"`        // neurons of every hidden layer
	Inputs   config.Ints `toml:"inputs" allowed:"each 1 to 10,000"`       // numbers of inputs
	Examples config.Ints `toml:"examples" allowed:"each 10 to 1,000,000"` // lengths of the stream
	Stream   int         `toml:"stream" allowed:"10 to 1,000,000"`        // its length on the other axes
	Most     int         `toml:"most" allowed:"1 to 100,000,000"`         // numbers in the weights of a network; larger ones are left out
}

func (e *experiment) SetUp(*config.Manifest) (err error) {
	e.models, err = (learner.Sweep{}).Models(e.Model, e.Methods)
	for _, v := range e.models {
		if len(v.Layers) < 3 {
			err = field.Errorf("model.layers", "%v is not allowed; allowed: inputs, hidden widths and classes", v.Layers)
		}
	}
	return err
}

// batches is the number of parts of a stream, of whose times the median is taken: no stream is shorter.
const batches = 10

// Validate reports what is not allowed.
func (s *settings) Validate() error {
	for _, axis := range s.axes() {
		if err := learner.Increasing(axis.name, axis.sizes, config.MaxTrain); err != nil || len(axis.sizes) < 2 {
			return cmp.Or(err, field.Errorf(axis.name, "%v is not allowed; allowed: at least two sizes", axis.sizes))
		}
	}
	return nil
}

// axis is what is changed.
type axis struct {
	name, label string // the key, and its words
	sizes       []int
	set         func(p *point, size int)
}

func (s *settings) axes() []axis {
	return []axis{
		{"classes", "classes", s.Classes, func(p *point, size int) { p.model.Layers[len(p.model.Layers)-1] = size }},
		{"width", "width of the hidden layers", s.Width, func(p *point, size int) {
			for l := range len(p.model.Layers) - 2 {
				p.model.Layers[l+1] = size
			}
		}},
		{"inputs", "inputs", s.Inputs, func(p *point, size int) { p.model.Layers[0] = size }},
		{"examples", "examples", s.Examples, func(p *point, size int) { p.examples = size }},
	}
}

var _ study.Timed = (*experiment)(nil)
