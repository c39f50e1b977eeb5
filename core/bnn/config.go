// Package bnn is a Bayesian multi-layer perceptron for classification that
// learns in closed form: no gradient, no sampling, one example after another
// (Yang and Yang, "Classified as unknown", arXiv 2301.13401).
//
// The weights of neuron j of a layer are Gaussian, w_j ~ N(μ_j, Σ_j),
// independent between neurons. For an input ŷ (with a trailing 1 where the
// layer has a bias) its pre-activation is
//
//	z_j ~ N(m_j, v_j),   m_j = ŷ·μ_j,   v_j = ŷᵀΣ_jŷ.
//
// [Network.Predict] is the paper's Algorithm 1, the forward pass;
// [Network.Observe] its Algorithm 2, the update of all weights by one labelled
// example. Output rules and hidden rules say how the update treats the label
// and the hidden layers.
package bnn

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"closedform/core/activation"
	"closedform/core/softmax"
)

// Config describes a network. The zero value of every field but Layers is its
// documented default.
type Config struct {
	// Layers are the numbers of inputs, of neurons in each hidden layer, and
	// of classes: at least two entries, at least two classes.
	Layers []int

	// Bias adds to every layer an input that is always 1.
	Bias bool

	// Alpha and Beta are the slopes of the hidden units f(z) = max(αz, βz),
	// 0 ≤ α ≤ 1, α ≤ β. Both zero stands for α = 0, β = 1, the rectifier.
	Alpha, Beta float64

	Output OutputRule
	Hidden HiddenRule

	// Covariance of each layer of weights; one entry stands for all layers,
	// none for full ones.
	Covariance []Covariance

	// OutputCovariance is that between the neurons of the output layer.
	OutputCovariance OutputCovariance

	// Softmax gives the moments of the output. Nil stands for the probit with
	// ρ = ½ and the slope-matched λ, and for softmax.Exact{Fast: true} if Output
	// is ADFExact.
	Softmax softmax.Approximation

	// OnIndefinite is applied to steps that cannot be taken as printed.
	OnIndefinite Policy

	// EigenvalueFloor is the smallest eigenvalue that Project leaves in the
	// covariance of the innovation; zero stands for 1e-3.
	EigenvalueFloor float64

	// VarianceFloor is the smallest ratio ṽ_j/v_j that Project leaves to a logit
	// and Smooth and SmoothMean to a hidden pre-activation, and the smallest
	// ratio in which one example changes a variance of a diagonal layer, or v_j
	// of another, where Information is not 1. Below 1; zero stands for 1e-3.
	VarianceFloor float64

	// Information is the number of times that one example counts for the
	// covariances of a layer: a positive number for each layer of weights, 1 for a
	// joint output layer. None stands for ones. The steps e_j of the covariances
	// are multiplied by it, as far as VarianceFloor allows; the means move as
	// ever. Examples that are going to be seen K times count 1/K times each.
	//
	// Counted once, an example leaves a diagonal layer too much variance, as the
	// layer takes its inputs for uncorrelated. In linear regression with noise of
	// variance R on d inputs of covariance C, after many examples T the variance
	// of what is predicted is on average R·r/T for full covariances, where r =
	// tr C(C + (R/T)Σ₀⁻¹)⁻¹ ≤ d is the number of directions of the inputs that
	// are learned (MacKay 1992), and R·d/T for diagonal ones. Counted d/r times,
	// both agree. As r is not known beforehand, validation has to choose.
	Information []float64

	// PriorVar is the prior variance of every weight, divided by the inputs of
	// the layer if Prior is ScaledPrior; zero stands for 1.
	PriorVar float64
	Prior    Prior

	// PriorScale multiplies PriorVar layer by layer: a positive number for each
	// layer of weights. None stands for ones.
	PriorScale []float64

	// PriorMeanVar scales the random prior means: those of a layer are drawn
	// from N(0, PriorMeanVar/inputs of the layer). Zero makes all means zero,
	// which leaves the neurons of a hidden layer indistinguishable.
	PriorMeanVar float64
}

// withDefaults returns the configuration with its defaults filled in, or an
// error that names the field and what it allows.
func (c Config) withDefaults() (Config, error) {
	if len(c.Layers) < 2 {
		return c, fmt.Errorf("bnn: Layers = %v: need at least inputs and classes", c.Layers)
	}
	for _, width := range c.Layers {
		if width < 1 {
			return c, fmt.Errorf("bnn: Layers = %v: every layer needs at least 1 neuron", c.Layers)
		}
	}
	if n := c.classes(); n < 2 {
		return c, fmt.Errorf("bnn: Layers = %v: need at least 2 classes", c.Layers)
	}
	if c.Alpha == 0 && c.Beta == 0 {
		c.Beta = 1
	}
	if err := c.activation().Validate(); err != nil {
		return c, fmt.Errorf("bnn: %w", err)
	}
	if c.Output < Joint || c.Output > ADFExact {
		return c, fmt.Errorf("bnn: Output = %v: allowed: joint, total, adf, adf-exact", c.Output)
	}
	if c.Hidden < Frozen || c.Hidden > SmoothMean {
		return c, fmt.Errorf("bnn: Hidden = %v: allowed: frozen, smooth, smooth-mean", c.Hidden)
	}
	if c.Prior != PaperPrior && c.Prior != ScaledPrior {
		return c, fmt.Errorf("bnn: Prior = %v: allowed: paper, scaled", c.Prior)
	}
	if k := len(c.Covariance); k > 1 && k != len(c.Layers)-1 {
		return c, fmt.Errorf("bnn: Covariance has %d entries: need one, or one for each of %d layers of weights", k, len(c.Layers)-1)
	}
	for _, kind := range c.Covariance {
		if kind < Full || kind > Shared {
			return c, fmt.Errorf("bnn: Covariance = %v: allowed: full, diagonal, shared", kind)
		}
	}
	c.Covariance = slices.Clone(c.Covariance)
	if c.OnIndefinite != Fail && c.OnIndefinite != Skip && c.OnIndefinite != Project {
		return c, fmt.Errorf("bnn: OnIndefinite = %v: allowed: fail, skip, project", c.OnIndefinite)
	}
	if c.Softmax == nil {
		const rho = 0.5
		c.Softmax = softmax.Probit{Lambda: softmax.SlopeLambda(c.classes(), rho), Rho: rho}
		if c.Output == ADFExact {
			c.Softmax = softmax.Exact{Fast: true}
		}
	}
	if s, ok := c.Softmax.(interface{ Validate() error }); ok {
		if err := s.Validate(); err != nil {
			return c, fmt.Errorf("bnn: Softmax: %w", err)
		}
	}
	switch s := c.Softmax.(type) {
	case softmax.Probit:
		if c.Output == ADF && s.Rho != 0.5 {
			return c, fmt.Errorf("bnn: Softmax is the probit with ρ = %g: Output = adf needs ρ = ½", s.Rho)
		}
		if c.Output == ADFExact {
			return c, errors.New("bnn: Softmax is a probit: Output = adf-exact needs softmax.Exact")
		}
	case softmax.Exact:
		if c.Output == ADF {
			return c, errors.New("bnn: Softmax is softmax.Exact: Output = adf needs a probit with ρ = ½")
		}
	default:
		if c.Output == ADF || c.Output == ADFExact {
			return c, fmt.Errorf("bnn: Softmax is a %T, which has no likelihood: allowed with Output = %v: softmax.Probit (adf), softmax.Exact (adf-exact)", s, c.Output)
		}
	}
	for _, f := range []struct {
		name  string
		value *[]float64
	}{
		{"PriorScale", &c.PriorScale},
		{"Information", &c.Information},
	} {
		if k := len(*f.value); k != 0 && k != len(c.Layers)-1 {
			return c, fmt.Errorf("bnn: %s has %d entries: need none, or one for each of %d layers of weights", f.name, k, len(c.Layers)-1)
		}
		for _, x := range *f.value {
			if !(x > 0 && x <= math.MaxFloat64) {
				return c, fmt.Errorf("bnn: %s = %g: need a finite number above 0", f.name, *f.value)
			}
		}
		*f.value = slices.Clone(*f.value)
	}
	switch c.OutputCovariance {
	case PerNeuron:
	case JointNeurons:
		if err := c.checkCorrelated(); err != nil {
			return c, err
		}
	default:
		return c, fmt.Errorf("bnn: OutputCovariance = %v: allowed: per-neuron, joint", c.OutputCovariance)
	}
	c.Layers = slices.Clone(c.Layers)
	for _, f := range []struct {
		name     string
		value    *float64
		fallback float64
		below    float64
	}{
		{"EigenvalueFloor", &c.EigenvalueFloor, 1e-3, math.Inf(1)},
		{"VarianceFloor", &c.VarianceFloor, 1e-3, 1},
		{"PriorVar", &c.PriorVar, 1, math.Inf(1)},
		{"PriorMeanVar", &c.PriorMeanVar, 0, math.Inf(1)},
	} {
		if !(*f.value >= 0 && *f.value < f.below) {
			return c, fmt.Errorf("bnn: %s = %g: need at least 0 and below %g", f.name, *f.value, f.below)
		}
		if *f.value == 0 {
			*f.value = f.fallback
		}
	}
	return c, nil
}

// covariance returns that of layer l of the weights.
func (c *Config) covariance(l int) Covariance {
	switch len(c.Covariance) {
	case 0:
		return Full
	case 1:
		return c.Covariance[0]
	}
	return c.Covariance[l]
}

// byLayer returns the factor of layer l of the weights; no factors stand for
// ones.
func byLayer(factors []float64, l int) float64 {
	if len(factors) == 0 {
		return 1
	}
	return factors[l]
}

func (c *Config) classes() int { return c.Layers[len(c.Layers)-1] }

func (c *Config) activation() activation.PiecewiseLinear {
	return activation.PiecewiseLinear{Alpha: c.Alpha, Beta: c.Beta}
}
