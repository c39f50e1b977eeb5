package tagi

import (
	"fmt"
	"math"
	"slices"

	"closedform/core/activation"
)

// Unit says how moments pass through a rectifier.
type Unit int

const (
	// Linearised takes the rectifier for linear, with its slope at the mean of
	// its input: the paper, Sec. 3.2.
	Linearised Unit = iota

	// Mixture takes the exact mean and variance of the rectified Gaussian and
	// its exact covariance with the input, as later versions of TAGI do.
	Mixture
)

func (u Unit) String() string {
	switch u {
	case Linearised:
		return "linearised"
	case Mixture:
		return "mixture"
	}
	return fmt.Sprintf("Unit(%d)", int(u))
}

// Config describes a network. The zero value of every field but Layers is its
// documented default.
type Config struct {
	// Layers are the numbers of inputs, of neurons in each hidden layer, and
	// of classes: at least two entries, at least two classes. Every layer has a
	// further input, which is 1. The output layer has a neuron for each node of
	// the tree of classes.
	Layers []int

	Unit Unit

	// SigmaV is the standard deviation of the noise of the targets ±1; zero
	// stands for 1.
	SigmaV float64

	// SigmaP is the standard deviation that the prediction adds to an output
	// before it takes the sign; zero stands for 1/3, as published.
	SigmaP float64

	// PriorVar and PriorMeanVar are the prior variance of every weight and the
	// variance of the normal distribution that its prior mean is drawn from,
	// both times the number of inputs of its layer, the bias among them; zero
	// stands for 1, as published.
	PriorVar, PriorMeanVar float64
}

// withDefaults returns the configuration with its defaults filled in, or an
// error that names the field and what it allows.
func (c Config) withDefaults() (Config, error) {
	if len(c.Layers) < 2 {
		return c, fmt.Errorf("tagi: Layers = %v: need at least inputs and classes", c.Layers)
	}
	for _, width := range c.Layers {
		if width < 1 {
			return c, fmt.Errorf("tagi: Layers = %v: every layer needs at least 1 neuron", c.Layers)
		}
	}
	if c.classes() < 2 {
		return c, fmt.Errorf("tagi: Layers = %v: need at least 2 classes", c.Layers)
	}
	if c.Unit != Linearised && c.Unit != Mixture {
		return c, fmt.Errorf("tagi: Unit = %v: allowed: linearised, mixture", c.Unit)
	}
	const most = 1e100 // squares of it do not overflow
	for _, f := range []struct {
		name     string
		value    *float64
		fallback float64
	}{
		{"SigmaV", &c.SigmaV, 1},
		{"SigmaP", &c.SigmaP, 1. / 3},
		{"PriorVar", &c.PriorVar, 1},
		{"PriorMeanVar", &c.PriorMeanVar, 1},
	} {
		if !(*f.value >= 0 && *f.value <= most) {
			return c, fmt.Errorf("tagi: %s = %g: need 0 to %g", f.name, *f.value, most)
		}
		if *f.value == 0 {
			*f.value = f.fallback
		}
	}
	c.Layers = slices.Clone(c.Layers)
	return c, nil
}

func (c *Config) classes() int { return c.Layers[len(c.Layers)-1] }

// rectifier is the unit of hidden layers.
var rectifier = activation.PiecewiseLinear{Beta: 1}

// moments returns mean and variance of the output of a unit whose input is
// N(m, v), and the slope Cov(input, output)/v.
func (u Unit) moments(m, v float64) (mean, variance, slope float64) {
	if u == Mixture && v > 0 {
		mean, variance, cross := rectifier.Moments(m, v)
		return mean, variance, cross / v
	}
	if m < 0 {
		return 0, 0, 0
	}
	return m, v, 1
}

// finite reports whether x is neither infinite nor NaN.
func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }
