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
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"

	"closedform/core/softmax"
	"closedform/internal/field"
)

// MostClasses is the largest number of classes, whose square is the size of the matrices
// that a step needs.
const MostClasses = 4096

// Config describes a network. The zero value of every field but Layers stands for its
// documented default; [Default] spells all of them out. core/README.md says how they were
// chosen. The tags are the keys of manifests and checkpoints.
type Config struct {
	// Layers are the numbers of inputs, of neurons in each hidden layer, and
	// of classes: at least two entries, 2 to MostClasses classes.
	Layers []int `toml:"layers" json:"layers"`

	// Bias adds to every layer an input that is always 1. It is true by default where
	// nothing but Layers is given.
	Bias bool `toml:"bias" json:"bias"`

	// Alpha and Beta are the slopes of the hidden units f(z) = max(αz, βz),
	// 0 ≤ α ≤ 1, α ≤ β. Both zero stands for α = 0, β = 1, the rectifier.
	Alpha float64 `toml:"alpha" json:"alpha"`
	Beta  float64 `toml:"beta" json:"beta"`

	Output OutputRule `toml:"rule" json:"rule"`
	Hidden HiddenRule `toml:"hidden" json:"hidden"`

	// Covariance of each layer of weights; one entry stands for all. None stands for
	// Full in layers that this gives at most 2²⁰ numbers, else for Shared in those of at
	// most 512 inputs, and Diagonal in others.
	Covariance Covariances `toml:"covariance" json:"covariance"`

	// OutputCovariance is that between the neurons of the output layer.
	OutputCovariance OutputCovariance `toml:"output_covariance" json:"output_covariance"`

	// Softmax gives the moments of the output. Nil stands for the probit with
	// ρ = ½ and the slope-matched λ, and for softmax.Exact{Fast: true} if Output
	// is ADFExact. The network has its own copy of the matrix of a softmax.ProbitCorr.
	Softmax softmax.Approximation `toml:"-" json:"-"`

	// OnIndefinite is the policy for steps that cannot be taken as printed.
	OnIndefinite Policy `toml:"on_indefinite" json:"on_indefinite"`

	// EigenvalueFloor is the smallest eigenvalue that Project leaves in the
	// covariance of the innovation; zero stands for 1e-3.
	EigenvalueFloor float64 `toml:"eigenvalue_floor" json:"eigenvalue_floor"`

	// VarianceFloor is the smallest ratio ṽ_j/v_j that Project leaves to a logit,
	// Smooth and SmoothMean to a hidden pre-activation, and Replications to v_j or,
	// in a diagonal layer, to each variance. Below 1; zero stands for 1e-3.
	VarianceFloor float64 `toml:"variance_floor" json:"variance_floor"`

	// Replications is how often one example counts for the covariances of a layer:
	// a positive number for each layer of weights, 1 for a joint output layer. One
	// entry stands for all; none for 1, but √d/2 in diagonal layers of d > 4 inputs. It
	// multiplies the steps e_j, as far as VarianceFloor allows; the means are not
	// affected. For K passes over the same examples, 1/K counts each example once.
	//
	// A diagonal layer treats its inputs as uncorrelated, and keeps too much variance
	// where they are not. In linear regression on d inputs of covariance C, with noise
	// of variance R, the predictive variance after T examples is R·d/T on average. With
	// full covariances it is R·r/T, where r = tr C(C + (R/T)Σ₀⁻¹)⁻¹ ≤ d is the number
	// of directions that the data determine (MacKay 1992). With d/r replications both
	// agree; r is chosen by validation.
	Replications []float64 `toml:"replications,omitempty" json:"replications,omitempty"`

	// PriorVar is the prior variance of every weight, divided by the inputs of
	// the layer if Prior is ScaledPrior; zero stands for 1.
	PriorVar float64 `toml:"prior_var" json:"prior_var"`
	Prior    Prior   `toml:"prior" json:"prior"`

	// PriorScale multiplies PriorVar layer by layer: a positive number for each layer of
	// weights. One entry stands for all. None stands for ones if Prior is PaperPrior,
	// and else for
	//
	//	d/100       in a hidden layer of d inputs, so that each weight has the variance 0.01,
	//	d/10        in one that is diagonal, and
	//	6000/Layers[0]  in the output layer, or 10 if it is joint, for the cubature.
	PriorScale []float64 `toml:"prior_scale,omitempty" json:"prior_scale,omitempty"`

	// PriorMeanVar scales the random prior means, whose variance is PriorMeanVar/inputs
	// of the layer. Zero stands for 2 if they are Orthogonal, and for means of zero if
	// they are Independent, which is an error where there are hidden layers.
	PriorMeanVar float64   `toml:"prior_mean_var" json:"prior_mean_var"`
	PriorDraw    PriorDraw `toml:"prior_draw" json:"prior_draw,omitempty"`
}

// Default returns a configuration that learns well from standardised inputs in one pass, with
// every value spelled out. It panics unless there are at least two layers.
func Default(layers ...int) Config {
	if len(layers) < 2 {
		panic(fmt.Sprintf("bnn: Default of layers %v; need inputs and classes at least", layers))
	}
	return Config{Layers: layers}.WithDefaults()
}

// WithDefaults returns a copy with the documented default in place of each zero
// value; without Layers, of those that do not depend on them.
func (c Config) WithDefaults() Config {
	if reflect.DeepEqual(c, Config{Layers: c.Layers}) {
		c.Bias = true
	}
	if c.Alpha == 0 && c.Beta == 0 {
		c.Beta = 1
	}
	c.EigenvalueFloor, c.VarianceFloor = cmp.Or(c.EigenvalueFloor, 1e-3), cmp.Or(c.VarianceFloor, 1e-3)
	c.PriorVar = cmp.Or(c.PriorVar, 1)
	if c.PriorDraw == Orthogonal {
		c.PriorMeanVar = cmp.Or(c.PriorMeanVar, 2)
	}
	if n := c.classes(); n >= 2 {
		c.Layers = slices.Clone(c.Layers)
		layers := len(c.Layers) - 1
		c.Covariance = byLayers(c.Covariance, layers, c.defaultCovariance)
		c.Replications = byLayers(c.Replications, layers, c.defaultReplications)
		c.PriorScale = byLayers(c.PriorScale, layers, c.defaultScale)
		switch {
		case c.Softmax != nil:
			c.Softmax = softmax.Clone(c.Softmax)
		case c.Output == ADFExact:
			c.Softmax = softmax.Exact{Fast: true}
		default:
			const rho = 0.5
			c.Softmax = softmax.Probit{Lambda: softmax.SlopeLambda(n, rho), Rho: rho}
		}
	}
	return c
}

// byLayers returns a list with an entry for each layer of weights: a single entry is
// repeated, and an empty list filled with the defaults.
func byLayers[S ~[]T, T any](list S, layers int, standard func(l int) T) S {
	out := make(S, layers)
	for l := range out {
		switch len(list) {
		case 0:
			out[l] = standard(l)
		case 1:
			out[l] = list[0]
		default:
			return slices.Clone(list)
		}
	}
	return out
}

func (c *Config) defaultCovariance(l int) Covariance {
	switch out, in := c.WeightDims(l); {
	case in*in*out <= 1<<20 || c.joint(l):
		return Full
	case in <= 512:
		return Shared
	}
	return Diagonal
}

func (c *Config) defaultReplications(l int) float64 {
	if _, in := c.WeightDims(l); c.Covariance[l] == Diagonal {
		return max(1, math.Sqrt(float64(in))/2)
	}
	return 1
}

func (c *Config) defaultScale(l int) float64 {
	_, in := c.WeightDims(l)
	switch {
	case c.Prior == PaperPrior:
		return 1
	case c.joint(l):
		return 10
	case l == len(c.Layers)-2:
		return 6000 / float64(c.Layers[0])
	case c.Covariance[l] == Diagonal:
		return float64(in) / 10
	}
	return float64(in) / 100
}

// Validate returns an error unless a network can be made of the configuration. It is a
// [*field.Error] for a field that is a key of manifests.
func (c Config) Validate() error {
	if len(c.Layers) < 2 || slices.Min(c.Layers) < 1 || c.classes() < 2 || c.classes() > MostClasses {
		return field.Errorf("layers", "%v is not allowed; allowed: inputs, hidden layers if any, and 2 to %d classes, none of them empty",
			c.Layers, MostClasses)
	}
	for _, check := range []func() error{c.checkFields, c.checkLists, c.checkSoftmax, c.checkJoint} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// checkFields checks each field by itself.
func (c *Config) checkFields() (err error) {
	for _, kind := range c.Covariance {
		err = cmp.Or(err, field.OneOf("covariance", kind, covariances))
	}
	err = cmp.Or(
		err,
		field.OneOf("rule", c.Output, outputRules),
		field.OneOf("hidden", c.Hidden, hiddenRules),
		field.OneOf("output_covariance", c.OutputCovariance, outputCovariances),
		field.OneOf("on_indefinite", c.OnIndefinite, policies),
		field.OneOf("prior", c.Prior, priors),
		field.OneOf("prior_draw", c.PriorDraw, priorDraws),
		field.Within("alpha", c.Alpha, 0, 1),
		field.Fraction("variance_floor", c.VarianceFloor),
		field.NonNegative("eigenvalue_floor", c.EigenvalueFloor),
		field.NonNegative("prior_var", c.PriorVar),
		field.NonNegative("prior_mean_var", c.PriorMeanVar),
	)
	if err == nil && (c.Alpha != 0 || c.Beta != 0) && !(c.Alpha <= c.Beta && c.Beta <= math.MaxFloat64) {
		return field.Errorf("beta", "%g is not allowed; allowed: a number ≥ alpha = %g", c.Beta, c.Alpha)
	}
	if err == nil && len(c.Layers) > 2 && c.PriorDraw == Independent && c.PriorMeanVar == 0 {
		return field.Errorf("prior_mean_var", "hidden neurons with equal means stay identical; allowed: a number > 0, or prior_draw = %q", Orthogonal)
	}
	return err
}

// checkLists checks the fields with an entry for each layer of weights.
func (c *Config) checkLists() (err error) {
	layers := len(c.Layers) - 1
	for _, f := range []struct {
		key string
		k   int // entries
	}{
		{"covariance", len(c.Covariance)},
		{"prior_scale", len(c.PriorScale)},
		{"replications", len(c.Replications)},
	} {
		if f.k > 1 && f.k != layers {
			return field.Errorf(f.key, "%d entries are not allowed; allowed: 1, or %d, one for each layer of weights", f.k, layers)
		}
	}
	for _, x := range c.PriorScale {
		err = cmp.Or(err, field.Positive("prior_scale", x))
	}
	for _, x := range c.Replications {
		err = cmp.Or(err, field.Positive("replications", x))
	}
	return err
}

// checkSoftmax checks that the softmax is one of so many classes, and has the likelihood that
// the output rule needs.
func (c *Config) checkSoftmax() error {
	probit, isProbit := c.Softmax.(softmax.Probit)
	_, isExact := c.Softmax.(softmax.Exact)
	switch {
	case c.Output == ADF && isProbit && probit.Rho != 0.5:
		return field.Errorf("rho", "%g is not allowed with rule = %q; allowed: 0.5", probit.Rho, c.Output)
	case c.Softmax != nil && (c.Output == ADF && !isProbit || c.Output == ADFExact && !isExact):
		return field.Errorf("rule", "%v is not allowed with %T; allowed: adf with softmax.Probit, adf-exact with softmax.Exact", c.Output, c.Softmax)
	case c.Softmax != nil:
		return softmax.Validate(c.Softmax, c.classes())
	}
	return nil
}

// checkJoint checks the conditions of a joint output layer, if there is one.
func (c *Config) checkJoint() error {
	last := len(c.Layers) - 2
	if !c.joint(last) {
		return nil
	}
	d := c.WithDefaults()
	if c.Output != ADFExact || c.classes() > softmax.MostCorrelated || d.Covariance[last] != Full {
		return field.Errorf("output_covariance", "joint is allowed only with rule = %q, a full output layer and at most %d classes", ADFExact, softmax.MostCorrelated)
	}
	if x := d.Replications[last]; x != 1 {
		return field.Errorf("replications", "%g is not allowed for a joint output layer; allowed: 1", x)
	}
	return nil
}

// classes returns their number, which is 0 without Layers.
func (c *Config) classes() int {
	if len(c.Layers) == 0 {
		return 0
	}
	return c.Layers[len(c.Layers)-1]
}

// joint reports whether layer l of the weights is a joint output layer.
func (c *Config) joint(l int) bool {
	return c.OutputCovariance == JointNeurons && l == len(c.Layers)-2
}

// WeightDims returns the numbers of neurons and of inputs of layer l of the weights;
// the bias counts.
func (c *Config) WeightDims(l int) (out, in int) {
	out, in = c.Layers[l+1], c.Layers[l]
	if c.Bias {
		in++
	}
	return out, in
}

// SpreadDims returns the dimensions of Root or Variance of layer l in its LayerState.
// The configuration is one of [Config.WithDefaults].
func (c *Config) SpreadDims(l int) (rows, cols int) {
	out, in := c.WeightDims(l)
	switch kind := c.Covariance[l]; {
	case c.joint(l):
		return out * in, out * in
	case kind == Shared:
		return in, in
	case kind == Diagonal:
		return out, in
	}
	return out * in, in
}

// priorVariance returns that of each weight of layer l.
func (c *Config) priorVariance(l int) float64 {
	variance := c.PriorVar * c.PriorScale[l]
	if c.Prior == ScaledPrior {
		_, in := c.WeightDims(l)
		variance /= float64(in)
	}
	return variance
}
