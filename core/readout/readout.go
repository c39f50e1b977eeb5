// Package readout is an output layer on fixed inputs, such as those of core/features, computed in closed form
// from sums over the examples. It does not depend on the order of the examples, to the bit, and can get
// another class at any time. It predicts by a Gaussian for each class, of the inputs (kind Gaussian), or of
// the outputs of a ridge regression of one-hot labels (kind Ridge). Inputs are limited to ±32 and rounded to
// multiples of 2⁻⁹, which makes the sums of up to 2²⁵ examples exact. Up to 2,000 different inputs are kept.
// If all examples come again, with the same class, each counts once.
//
// Each model is in a file with its formulas, and uses those above it:
//
//	sums.go         Σx and Σxxᵀ, exact; means and scatters
//	kept.go         the kept examples, whose left-out loss the parameters λ, ν and τ minimise
//	gaussians.go    class Gaussians: shrunk covariances, temperature
//	ridge.go        ridge regression
//	recursion.go    ridge regression that is up to date before each example
//	sequence.go     probabilities of each example before it is learned
//	familiarity.go  p-values of inputs
package readout

import (
	"cmp"
	"errors"
	"math"
	"sync"

	"closedform/core/bnn"
	"closedform/internal/field"
)

// Kind is what a layer predicts by.
type Kind string

const (
	// Ridge is a ridge regression on one-hot labels, with class Gaussians on its outputs: inputs²/2 numbers.
	Ridge Kind = "ridge"

	// Gaussian has the mean and covariance of each class: inputs²/2 numbers for each.
	Gaussian Kind = "gaussian"
)

// Words returns the words of all kinds.
func (Kind) Words() []string { return field.Words(Ridge, Gaussian) }

// Config describes a layer. The tags are keys of manifests, for errors, and of checkpoints.
type Config struct {
	Kind    Kind `toml:"output" json:"kind" check:"required"`
	Inputs  int  `toml:"inputs" json:"inputs" check:"required" range:"1 16384"`
	Classes int  `toml:"classes" json:"classes" check:"required" range:"2 4096"` // at most bnn.MostClasses

	// Sequential makes Predict and Update.LogP cheap: a Ridge layer is also solved recursively, example by
	// example. The recursion takes some 1.1 inputs² operations an example, and stores inputs² more numbers.
	Sequential bool `toml:"-" json:"sequential,omitempty"`
}

// Validate returns a [*bnn.FieldError] unless a layer can be made of the configuration.
func (c Config) Validate() error {
	return field.InGo(errors.Join(field.Check(&c),
		field.Refuse(c.Sequential && c.Kind != Ridge, "sequential", true, `with output = "ridge"`)), c)
}

// Layer is an output layer. PredictAll, Familiarity, State and Config are safe for concurrent use, each call
// with its own dst. Predict is, too, without Config.Sequential. The other methods are not. After an example, the
// first call of PredictAll, Familiarity, or Predict without Config.Sequential solves a system, which takes some
// inputs³ operations, for Gaussian times the number of classes.
type Layer struct {
	cfg      Config
	totals   totals
	kept     kept
	sequence *sequence // nil unless Config.Sequential
	limited  int
	rounded  []float64 // scratch space: rounded inputs of Observe and Predict

	mu     sync.Mutex
	solved solution // the parts that were needed since the last example
}

var (
	_ bnn.Model   = (*Layer)(nil)
	_ bnn.LeftOut = (*Layer)(nil)
)

// New returns a layer without examples.
func New(c Config) (*Layer, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	l := &Layer{cfg: c, rounded: make([]float64, c.Inputs)}
	l.cfg.Classes, l.totals = 0, totals{inputs: c.Inputs, pooled: c.Kind == Ridge}
	if c.Sequential {
		l.sequence = newSequence(c.Inputs)
	}
	for range c.Classes {
		l.addClass()
	}
	return l, nil
}

// Config returns the configuration, with the classes that were added.
func (l *Layer) Config() Config { return l.cfg }

// Shape implements [bnn.Model].
func (l *Layer) Shape() (inputs, classes int) { return l.cfg.Inputs, l.cfg.Classes }

// AddClass adds a class without examples after the others. It returns an error if there are too many classes.
func (l *Layer) AddClass() error {
	if err := field.Between("classes", 2, bnn.MostClasses, l.cfg.Classes+1); err != nil {
		return err
	}
	l.addClass()
	return nil
}

func (l *Layer) addClass() {
	l.cfg.Classes++
	l.totals.addClass()
	l.kept = append(l.kept, nil)
	if l.sequence != nil {
		l.sequence.addClass()
	}
	l.solved = solution{}
}

// Observe adds an example. With Config.Sequential LogP of the update is that of Predict; otherwise it is NaN,
// as the other numbers are. A wrong length or class, or a number that is not finite, is an error and changes
// nothing.
func (l *Layer) Observe(x []float64, class int) (bnn.Update, error) {
	return l.ObserveFrom(nil, x, class)
}

// ObserveFrom is Observe of an x that is computed from a source, such as features of an input. Sources of kept
// inputs are kept, as a file is smaller that has these in place of many features.
func (l *Layer) ObserveFrom(source, x []float64, class int) (bnn.Update, error) {
	u := bnn.Update{MinEigenvalue: math.NaN(), MinVariance: math.NaN(), LogP: math.NaN()}
	if err := l.check(x, class); err != nil {
		u.Action = bnn.Refused
		return u, err
	}
	if round(l.rounded, x) {
		l.limited++
	}
	l.solved = solution{}
	l.totals.add(l.rounded, class, 1)
	l.kept.add(l.rounded, source, class, l.totals.counts)
	if l.sequence != nil {
		u.LogP = l.sequence.observe(l.rounded, class, &l.totals)
	}
	return u, nil
}

// Limited returns the number of examples that had an input beyond ±32. If it is large, scale the inputs: the
// layer cannot distinguish 33 from 1,000.
func (l *Layer) Limited() int { return l.limited }

func (l *Layer) check(x []float64, class int) error {
	return cmp.Or(field.Class(class, l.cfg.Classes), field.Input(x, l.cfg.Inputs))
}
