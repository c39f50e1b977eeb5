package bnn

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"closedform/core/activation"
	"closedform/core/softmax"
	"closedform/internal/field"
)

// MostClasses is the largest number of classes.
const MostClasses = 4096

const (
	minRatio = 1e-3 // lower bound of posterior over prior variance
	maxRatio = 2    // a step at most doubles the variance of a pre-activation

	defaultRho = 0.5
)

// Config describes a network completely. [Default] returns one that works. A network copies the slices of its
// Config and keeps a reference to Softmax. Tags are keys of manifests and checkpoints.
type Config struct {
	Layers []int `toml:"layers" json:"layers"` // numbers of inputs, of hidden neurons by layer, and of classes
	Bias   bool  `toml:"bias" json:"bias"`     // adds to every layer an input that is always 1

	// Unit is the hidden unit f(z) = max(αz, βz), 0 ≤ α ≤ 1, α ≤ β, 0 < β.
	Unit activation.PiecewiseLinear `json:"unit"`

	Output     OutputRule   `toml:"rule" json:"output" check:"required"`
	Hidden     HiddenRule   `toml:"hidden" json:"hidden" check:"required"`
	Covariance []Covariance `toml:"covariance" json:"covariance"` // the form in each layer of weights

	// Softmax gives the moments of the output: a softmax.Probit with ρ = ½ if Output is ADF or
	// ADFMarginal, a softmax.Exact if it is ADFExact or ADFExactMarginal, else any.
	Softmax softmax.Approximation `json:"-"`

	PriorVar []float64 `toml:"prior_var" json:"prior_var" range:"1e-300 1e300"` // of a weight, in each layer

	// PriorMeanVar times 1/inputs of a layer is the variance of its random prior means. It is
	// above 0 where there are hidden layers.
	PriorMeanVar float64   `toml:"prior_mean_var" json:"prior_mean_var" range:"0 1e100"`
	PriorDraw    PriorDraw `toml:"prior_draw" json:"prior_draw" check:"required"`

	// Replications is how often one example counts for the covariances of each layer, but not for the means:
	// it multiplies the steps e_j. For K passes over the same examples, 1/K counts each example once. A
	// diagonal layer treats its d inputs as uncorrelated, and keeps too much variance where they are
	// correlated. In linear regression d/r replications correct this, where r is the number of directions that
	// the data determine (MacKay 1992). The default 0 stands for √d/2 in diagonal layers of more than four
	// inputs, bias included, and else for 1; [Network.Config] returns the number.
	Replications []float64 `toml:"replications" json:"replications" range:"0 1e300"`

	// ProcessNoise has for each layer a share q, 0 ≤ q < 1, for streams whose distribution changes. nil is no
	// noise. With each example the covariances return by the share q to the prior covariance Σ₀ = σ₀²I,
	//
	//	Σ_j += q(Σ₀ − Σ_j),
	//
	// and the means stay. This is the exact prediction step for weights on a random walk whose step before each
	// example has the covariance q(Σ₀ − Σ_j) ≥ 0. So noise never raises Σ_j above Σ₀, which a large prior
	// allows to follow fast, and what no input excites keeps the prior. To cost little, the weights from four
	// inputs at a time take the step for several examples.
	ProcessNoise []float64 `toml:"process_noise" json:"process_noise,omitempty" range:"0 0.999999"`

	Paper PaperRule `json:"paper"` // used by the rules Joint and Total only
}

// PaperRule says what happens to steps of the rules Joint and Total that cannot be taken as printed.
type PaperRule struct {
	// OnIndefinite is what to do if a step is indefinite; default "fail".
	OnIndefinite Policy `toml:"on_indefinite" json:"on_indefinite" check:"required"`

	// EigenvalueFloor is the smallest eigenvalue of Σ_y (or S) that "project" leaves; default 0.001.
	EigenvalueFloor float64 `toml:"eigenvalue_floor" json:"eigenvalue_floor" check:"required" range:"1e-12 1e12"`
	// VarianceFloor is the smallest ratio ṽ_j/v_j of a logit that "project" leaves; default 0.001.
	VarianceFloor float64 `toml:"variance_floor" json:"variance_floor" check:"required" range:"1e-6 0.999999"`
}

// Default returns a configuration that learns well from standardised inputs in one pass; core/README.md says
// how it was chosen. The rule is ADF with the slope-matched probit. Covariances are Full in layers where they
// have at most 2²⁰ numbers, else Shared with at most 512 inputs, else Diagonal. A Shared output layer behind
// 256 units would be twenty times as fast, but has 4 % more log loss (50 to 150 units, held-out training
// images of MNIST). λ and the prior variances are for the given layers.
func Default(layers ...int) Config {
	c := Config{
		Layers: slices.Clone(layers), Bias: true, Unit: activation.PiecewiseLinear{Beta: 1},
		Output: ADF, Hidden: SmoothMean,
		PriorMeanVar: 2, PriorDraw: Orthogonal,
		Paper: PaperRule{Fail, 1e-3, 1e-3},
	}
	if n := c.classes(); n >= 2 {
		c.Softmax = softmax.Probit{Lambda: softmax.SlopeLambda(n, defaultRho), Rho: defaultRho}
	}
	kinds := make([]Covariance, len(layers)-1)
	for l := range kinds {
		switch out, in := c.WeightDims(l); {
		case in*in*out <= 1<<20:
			kinds[l] = Full
		case in <= 512:
			kinds[l] = Shared
		default:
			kinds[l] = Diagonal
		}
	}
	c.SetCovariance(kinds...)
	return c
}

// SetCovariance sets the covariances of all layers, or one for all, with their default replications and prior
// variances: 0.1 in hidden layers, 600/(Layers[0]·inputs) in the output layer, bias included.
func (c *Config) SetCovariance(kinds ...Covariance) {
	layers := len(c.Layers) - 1
	if len(kinds) == 1 {
		kinds = slices.Repeat(kinds, layers)
	}
	c.Covariance = slices.Clone(kinds)
	c.PriorVar, c.Replications = make([]float64, layers), make([]float64, layers)
	for l := range min(layers, len(kinds)) {
		if c.PriorVar[l] = 0.1; l == layers-1 {
			_, in := c.WeightDims(l)
			c.PriorVar[l] = 600 / float64(c.Layers[0]) / float64(in)
		}
	}
}

func (c *Config) replicate() {
	for l, count := range c.Replications {
		if count == 0 {
			c.Replications[l] = 1
			if _, in := c.WeightDims(l); c.Covariance[l] == Diagonal {
				c.Replications[l] = max(1, math.Sqrt(float64(in))/2)
			}
		}
	}
}

// FieldError is the error of a field of a [Config], for [errors.As].
type FieldError = field.Error

// ExampleError is the error of every model for an input of the wrong length, a number that is not finite, or a
// class out of range, for [errors.As].
type ExampleError = field.ExampleError

// Validate returns an error, as a rule a [*FieldError], unless the configuration makes a network.
func (c Config) Validate() error { return field.InGo(c.check(), c) }

func (c *Config) check() error {
	weights := len(c.Layers) - 1
	err := field.Refuse(weights < 1 || slices.Min(c.Layers) < 1 || c.classes() < 2 || c.classes() > MostClasses,
		"layers", c.Layers, fmt.Sprintf("inputs, hidden layers if any, and 2 to %d classes, none of them empty",
			MostClasses))
	each := fmt.Sprintf("%d entries, one for each layer of weights", weights)
	err = errors.Join(err,
		field.Refuse(len(c.Covariance) != weights, "covariance", c.Covariance, each),
		field.Refuse(len(c.PriorVar) != weights, "prior_var", c.PriorVar, each),
		field.Refuse(len(c.Replications) != weights, "replications", c.Replications, each),
		field.Refuse(len(c.ProcessNoise) != weights && len(c.ProcessNoise) > 0, "process_noise", c.ProcessNoise,
			each+", or none"),
		field.Check(c), field.Check(&c.Unit),
		field.Refuse(c.Unit.Beta == 0, "beta", c.Unit.Beta, "a number > 0"))
	if !c.Output.assumedDensity() {
		err = errors.Join(err, field.Check(&c.Paper))
	}
	if err != nil {
		return err
	}
	return c.checkTogether()
}

func (c *Config) checkTogether() error {
	probit, fits := c.Softmax.(softmax.Probit)
	if c.Output.exact() {
		_, fits = c.Softmax.(softmax.Exact)
	}
	switch adf := c.Output.assumedDensity(); {
	case !(c.Unit.Alpha <= c.Unit.Beta):
		return field.Refuse(true, "beta", c.Unit.Beta, fmt.Sprintf("a number ≥ alpha = %g", c.Unit.Alpha))
	case len(c.Layers) > 2 && c.PriorMeanVar == 0:
		return field.Refuse(true, "prior_mean_var", c.PriorMeanVar, "a number > 0, as hidden neurons with equal "+
			"means stay identical")
	case adf && !fits:
		return field.Refuse(true, "rule", c.Output, fmt.Sprintf("adf with softmax.Probit, adf-exact with "+
			"softmax.Exact, neither with %T", c.Softmax))
	case adf && !c.Output.exact() && probit.Rho != defaultRho:
		return field.Refuse(true, "rho", probit.Rho, fmt.Sprintf("0.5 with rule = %q", c.Output))
	}
	return softmax.Validate(c.Softmax, c.classes())
}

func (c Config) clone() Config {
	c.Layers, c.Covariance = slices.Clone(c.Layers), slices.Clone(c.Covariance)
	c.PriorVar, c.Replications = slices.Clone(c.PriorVar), slices.Clone(c.Replications)
	c.ProcessNoise = slices.Clone(c.ProcessNoise)
	return c
}

func (c *Config) classes() int { return c.Layers[len(c.Layers)-1] }

// WeightDims returns the numbers of neurons and of inputs, the bias counted, of weight layer l.
func (c *Config) WeightDims(l int) (out, in int) {
	out, in = c.Layers[l+1], c.Layers[l]
	if c.Bias {
		in++
	}
	return out, in
}

// SpreadDims returns the dimensions of LayerState.Spread of layer l.
func (c *Config) SpreadDims(l int) (rows, cols int) {
	out, in := c.WeightDims(l)
	switch c.Covariance[l] {
	case Shared:
		return in, in
	case Diagonal:
		return out, in
	}
	return out * in, in
}
