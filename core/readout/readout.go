// Package readout is an output layer on fixed inputs that does not depend on the order of the examples.
package readout

import (
	"closedform/core/bnn"
	"closedform/internal/field"
)

// Kind is what the layer keeps, and predicts by.
type Kind string

const (
	Ridge    Kind = "ridge"
	Gaussian Kind = "gaussian"
)

// Config describes a layer.
type Config struct {
	Kind    Kind `toml:"output" json:"kind"`
	Inputs  int  `toml:"inputs" json:"inputs"`
	Classes int  `toml:"classes" json:"classes"`
}

// Validate returns a [*field.Error] unless a layer can be made of c.
func (c Config) Validate() error {
	return field.OneOf("output", c.Kind, Ridge, Gaussian)
}

// Layer is an output layer. Predict and Scores may be called by several goroutines at once.
type Layer struct {
	cfg Config
}

// Scores are scores of an input for open-set recognition.
type Scores struct {
	Density      []float64 // log density of each class
	Background   float64   // log density of one Gaussian of all examples
	Ridge        []float64 // outputs of the ridge regression
	RidgeDensity []float64 // log density of each class on these outputs
}

// State is all that a layer knows, in no order.
type State struct {
	Count     []int     // examples of each class
	Sum       []float64 // classes × inputs
	Scatter   []float64 // one or classes × the upper triangle, by rows, inputs·(inputs + 1)/2 numbers
	Kept      []float64 // examples × inputs
	KeptClass []int     // of each kept example
}

// New returns a layer without examples.
func New(c Config) (*Layer, error) { return &Layer{cfg: c}, c.Validate() }

// Restore returns the layer with the state.
func Restore(c Config, s State) (*Layer, error) { return New(c) }

// State returns a copy of all that the layer knows.
func (l *Layer) State() State { return State{} }

// Config returns the configuration, with the classes that were added.
func (l *Layer) Config() Config { return l.cfg }

// Members implements [bnn.Model]: none.
func (l *Layer) Members() []*bnn.Network { return nil }

// Observe adds an example.
func (l *Layer) Observe(x []float64, class int) (bnn.Update, error) { return bnn.Update{}, nil }

// Predict sets dst to the prediction for x.
func (l *Layer) Predict(dst *bnn.Prediction, x []float64) error { return nil }

// Scores sets dst to the scores of x.
func (l *Layer) Scores(dst *Scores, x []float64) error { return nil }

// AddClass adds a class without examples.
func (l *Layer) AddClass() error { return nil }

var _ bnn.Model = (*Layer)(nil)
