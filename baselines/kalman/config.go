package kalman

import (
	"fmt"
	"math"
	"slices"

	"closedform/core/activation"
	"closedform/core/softmax"
)

// Covariance says which covariances of the weights are kept.
type Covariance int

const (
	// Full keeps those of all pairs of weights: for W weights and n classes a
	// step costs about 6nW² operations, and the memory is that of W² numbers.
	Full Covariance = iota

	// Diagonal keeps variances only, the fully decoupled filter of Puskorius and
	// Feldkamp (IJCNN 1991): the step is that of Full, and what it leaves off the
	// diagonal is dropped. It costs about 4n²W operations.
	Diagonal
)

func (c Covariance) String() string {
	switch c {
	case Full:
		return "full"
	case Diagonal:
		return "diagonal"
	}
	return fmt.Sprintf("Covariance(%d)", int(c))
}

// Config describes a filter. The zero value of every field but Layers is its
// documented default.
type Config struct {
	// Layers are the numbers of inputs, of neurons in each hidden layer, and
	// of classes: at least two entries, at least two classes. Every layer has a
	// further input, which is 1.
	Layers []int

	// Alpha and Beta are the slopes of the hidden units f(z) = max(αz, βz),
	// 0 ≤ α ≤ 1, α ≤ β. Both zero stands for α = 0, β = 1, the rectifier.
	Alpha, Beta float64

	Covariance Covariance

	// PriorVar is the prior variance of every weight times the number of inputs
	// of its layer, the bias among them, at most 1e100; zero stands for 1.
	PriorVar float64

	// PriorMeanVar scales the random prior means of hidden layers, which break
	// the symmetry of their neurons: those of a layer are drawn from
	// N(0, PriorMeanVar/inputs). At most 1e100; zero stands for 2 (He et al.
	// 2015). The prior means of the output layer are zero.
	PriorMeanVar float64

	// ProcessNoise is the variance that every weight gains before each step, as
	// a share of its prior variance, at most 1. With covariance Full it costs a
	// Cholesky factorisation, of order W³ operations, at each step.
	ProcessNoise float64

	// Softmax gives the predictive probabilities. Nil stands for
	// softmax.Exact{Fast: true}.
	Softmax softmax.Approximation
}

// largest is the largest variance of a prior: the square of what comes of it
// does not overflow.
const largest = 1e100

// withDefaults returns the configuration with its defaults filled in, or an
// error that names the field and what it allows.
func (c Config) withDefaults() (Config, error) {
	if len(c.Layers) < 2 {
		return c, fmt.Errorf("kalman: Layers = %v: need at least inputs and classes", c.Layers)
	}
	for _, width := range c.Layers {
		if width < 1 {
			return c, fmt.Errorf("kalman: Layers = %v: every layer needs at least 1 neuron", c.Layers)
		}
	}
	if c.classes() < 2 {
		return c, fmt.Errorf("kalman: Layers = %v: need at least 2 classes", c.Layers)
	}
	if c.Alpha == 0 && c.Beta == 0 {
		c.Beta = 1
	}
	if err := c.unit().Validate(); err != nil {
		return c, fmt.Errorf("kalman: Alpha, Beta: %w", err)
	}
	if c.Covariance != Full && c.Covariance != Diagonal {
		return c, fmt.Errorf("kalman: Covariance = %v: allowed: full, diagonal", c.Covariance)
	}
	for _, f := range []struct {
		name          string
		value         *float64
		fallback, top float64
	}{
		{"PriorVar", &c.PriorVar, 1, largest},
		{"PriorMeanVar", &c.PriorMeanVar, 2, largest},
		{"ProcessNoise", &c.ProcessNoise, 0, 1},
	} {
		if !(*f.value >= 0 && *f.value <= f.top) {
			return c, fmt.Errorf("kalman: %s = %g: need 0 to %g", f.name, *f.value, f.top)
		}
		if *f.value == 0 {
			*f.value = f.fallback
		}
	}
	if c.Softmax == nil {
		c.Softmax = softmax.Exact{Fast: true}
	}
	if s, ok := c.Softmax.(interface{ Validate() error }); ok {
		if err := s.Validate(); err != nil {
			return c, fmt.Errorf("kalman: Softmax: %w", err)
		}
	}
	c.Layers = slices.Clone(c.Layers)
	return c, nil
}

func (c *Config) classes() int { return c.Layers[len(c.Layers)-1] }

func (c *Config) unit() activation.PiecewiseLinear {
	return activation.PiecewiseLinear{Alpha: c.Alpha, Beta: c.Beta}
}

// finite reports whether x is neither infinite nor NaN.
func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }
