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
	"fmt"
	"math"
	"slices"

	"closedform/core/activation"
	"closedform/core/softmax"
)

// OutputRule says how a label moves the logits.
type OutputRule int

const (
	// Joint is the rule of the paper, Eq. (z): logits and probabilities are
	// taken as jointly Gaussian, and the one-hot label y as a noise-free
	// observation of the probabilities. Over the first n−1 classes
	//
	//	m̃ = m + Σ_zy Σ_y⁻¹ (y − p),   ṽ = diag(diag(v) − Σ_zy Σ_y⁻¹ Σ_zyᵀ).
	//
	// Where Σp ≠ 1 (probit with ρ ≠ ½) it matters which class is the last.
	Joint OutputRule = iota

	// Total puts the covariance of the label, S = diag(p) − ppᵀ, in place of
	// that of the probabilities: by the law of total covariance the label has
	// a noise of its own.
	Total
)

func (r OutputRule) String() string {
	switch r {
	case Joint:
		return "joint"
	case Total:
		return "total"
	}
	return fmt.Sprintf("OutputRule(%d)", int(r))
}

// HiddenRule says how the update treats hidden layers.
type HiddenRule int

// Frozen is the rule of the paper, Algorithms 1 and 2: a hidden layer hands on
// the mean of its output and drops the variance, and its target is that same
// mean. The innovation is zero: hidden means never move, and hidden covariances
// shrink whatever the label.
const Frozen HiddenRule = 0

func (r HiddenRule) String() string {
	if r == Frozen {
		return "frozen"
	}
	return fmt.Sprintf("HiddenRule(%d)", int(r))
}

// Policy says what happens to a step that cannot be taken as printed because it
// is indefinite (see Update) or a posterior variance ṽ_j would be negative.
type Policy int

const (
	// Fail returns an *IndefiniteError and leaves the network unchanged.
	Fail Policy = iota
	// Skip leaves the network unchanged and reports the step as Skipped.
	Skip
	// Project raises the eigenvalues of the covariance of the innovation to
	// Config.EigenvalueFloor and then every ṽ_j to Config.VarianceFloor·v_j,
	// takes the step and reports it as Projected.
	Project
)

func (p Policy) String() string {
	switch p {
	case Fail:
		return "fail"
	case Skip:
		return "skip"
	case Project:
		return "project"
	}
	return fmt.Sprintf("Policy(%d)", int(p))
}

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

	// Softmax gives the moments of the output. Nil stands for the probit with
	// ρ = ½ and the slope-matched λ.
	Softmax softmax.Approximation

	// OnIndefinite is applied to steps that cannot be taken as printed.
	OnIndefinite Policy

	// EigenvalueFloor is the smallest eigenvalue that Project leaves in the
	// covariance of the innovation; zero stands for 1e-3.
	EigenvalueFloor float64

	// VarianceFloor is the smallest ratio ṽ_j/v_j that Project leaves, below 1;
	// zero stands for 1e-3.
	VarianceFloor float64

	// PriorVar is the prior variance of every weight; zero stands for 1.
	PriorVar float64

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
	if c.Output != Joint && c.Output != Total {
		return c, fmt.Errorf("bnn: Output = %v: allowed: joint, total", c.Output)
	}
	if c.Hidden != Frozen {
		return c, fmt.Errorf("bnn: Hidden = %v: allowed: frozen", c.Hidden)
	}
	if c.OnIndefinite != Fail && c.OnIndefinite != Skip && c.OnIndefinite != Project {
		return c, fmt.Errorf("bnn: OnIndefinite = %v: allowed: fail, skip, project", c.OnIndefinite)
	}
	if c.Softmax == nil {
		const rho = 0.5
		c.Softmax = softmax.Probit{Lambda: softmax.SlopeLambda(c.classes(), rho), Rho: rho}
	}
	if s, ok := c.Softmax.(interface{ Validate() error }); ok {
		if err := s.Validate(); err != nil {
			return c, fmt.Errorf("bnn: Softmax: %w", err)
		}
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

func (c *Config) classes() int { return c.Layers[len(c.Layers)-1] }

func (c *Config) activation() activation.PiecewiseLinear {
	return activation.PiecewiseLinear{Alpha: c.Alpha, Beta: c.Beta}
}
