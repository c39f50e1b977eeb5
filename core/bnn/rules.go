package bnn

import (
	"errors"

	"closedform/internal/field"
)

// OutputRule is the update of the logits by a label.
type OutputRule int

const (
	// ADF takes the exact posterior moments of the logits given the label
	// under the likelihood of the probit with ρ = ½, which Softmax must be
	// (assumed-density filtering). It has nothing that could be indefinite.
	ADF OutputRule = iota

	// ADFExact is ADF under the likelihood of the softmax itself; Softmax must
	// be softmax.Exact.
	ADFExact

	// Joint is the rule of the paper, Eq. (z): logits and probabilities are
	// taken as jointly Gaussian, and the one-hot label y as a noise-free
	// observation of the probabilities. Over the first n−1 classes
	//
	//	m̃ = m + Σ_zy Σ_y⁻¹ (y − p),   ṽ = diag(diag(v) − Σ_zy Σ_y⁻¹ Σ_zyᵀ).
	//
	// Where Σp ≠ 1 (probit with ρ ≠ ½) it matters which class is the last.
	Joint

	// Total is Joint with the covariance of the label, S = diag(p) − ppᵀ, in place of
	// that of the probabilities: by the law of total covariance, S also contains the
	// noise of the label given the probabilities.
	Total
)

var outputRules = field.Words{"adf", "adf-exact", "joint", "total"}

func (r OutputRule) String() string                   { return outputRules.Word(int(r)) }
func (r OutputRule) MarshalText() ([]byte, error)     { return outputRules.Marshal(int(r)) }
func (r *OutputRule) UnmarshalText(text []byte) error { return field.Unmarshal(r, text, outputRules) }

// HiddenRule is what hidden layers pass on, and how an update moves them.
type HiddenRule int

const (
	// SmoothMean passes on the mean of the output of a hidden layer, and propagates the
	// update back through every layer by Kalman smoothing (Goulet et al. 2021; Wagner,
	// Wu and Huber 2023), with the means of the weights before their own update. It
	// ignores the variance of the layer's inputs. All neurons of a layer share that
	// variance, but Smooth counts it for each neuron separately; wide networks learn
	// faster without it.
	SmoothMean HiddenRule = iota

	// Smooth is SmoothMean, but passes on the variance, too.
	Smooth

	// Frozen is the rule of the paper, Algorithms 1 and 2: a hidden layer passes
	// on the mean of its output only, and its target is that same mean. The
	// innovation is zero, so that hidden means never move, and hidden covariances
	// shrink whatever the label is.
	Frozen
)

var hiddenRules = field.Words{"smooth-mean", "smooth", "frozen"}

func (r HiddenRule) String() string                   { return hiddenRules.Word(int(r)) }
func (r HiddenRule) MarshalText() ([]byte, error)     { return hiddenRules.Marshal(int(r)) }
func (r *HiddenRule) UnmarshalText(text []byte) error { return field.Unmarshal(r, text, hiddenRules) }

// Covariance is the form of the covariance Σ_j of the weights of a neuron.
type Covariance int

const (
	Full     Covariance = iota // those of all pairs
	Diagonal                   // variances only
	Shared                     // those of all pairs, but the same for all neurons of the layer
)

var covariances = field.Words{"full", "diagonal", "shared"}

func (c Covariance) String() string                   { return covariances.Word(int(c)) }
func (c Covariance) MarshalText() ([]byte, error)     { return covariances.Marshal(int(c)) }
func (c *Covariance) UnmarshalText(text []byte) error { return field.Unmarshal(c, text, covariances) }

// Covariances are those of the layers of weights, in TOML one word or a list.
type Covariances []Covariance

// UnmarshalTOML sets c to what a TOML decoder has found.
func (c *Covariances) UnmarshalTOML(value any) error {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	*c = make(Covariances, len(list))
	for l, x := range list {
		word, ok := x.(string)
		if !ok {
			return errors.New("neither a word nor a list of words")
		}
		if err := (*c)[l].UnmarshalText([]byte(word)); err != nil {
			return err
		}
	}
	return nil
}

// OutputCovariance is the covariance between the neurons of the output layer.
type OutputCovariance int

const (
	// PerNeuron takes the weights of different neurons for independent, as the
	// paper does and as all hidden layers are.
	PerNeuron OutputCovariance = iota

	// JointNeurons has one Gaussian over the weights of all output neurons, and
	// correlated logits. It needs ADFExact and at most softmax.MostCorrelated
	// classes n; a step integrates over a grid in n − 1 dimensions.
	JointNeurons
)

var outputCovariances = field.Words{"per-neuron", "joint"}

func (o OutputCovariance) String() string               { return outputCovariances.Word(int(o)) }
func (o OutputCovariance) MarshalText() ([]byte, error) { return outputCovariances.Marshal(int(o)) }
func (o *OutputCovariance) UnmarshalText(text []byte) error {
	return field.Unmarshal(o, text, outputCovariances)
}

// Prior is the unit of PriorVar.
type Prior int

const (
	ScaledPrior Prior = iota // the variance of a weight times the number of inputs, so that the pre-activations of all layers are alike
	PaperPrior               // the variance of every weight
)

var priors = field.Words{"scaled", "paper"}

func (p Prior) String() string                   { return priors.Word(int(p)) }
func (p Prior) MarshalText() ([]byte, error)     { return priors.Marshal(int(p)) }
func (p *Prior) UnmarshalText(text []byte) error { return field.Unmarshal(p, text, priors) }

// PriorDraw is the distribution of the random prior means.
type PriorDraw int

const (
	// Orthogonal draws the mean weights of hidden neurons in orthogonal directions, as
	// many at a time as there are inputs. In the first hidden layer they come in pairs u
	// and −u, whose rectified sum and difference are even and linear in the input. The
	// bias weight is doubled, so that the kinks of the units spread over the data. The
	// means of the output layer are zero.
	Orthogonal PriorDraw = iota

	// Independent draws all weights of all layers one by one.
	Independent
)

var priorDraws = field.Words{"orthogonal", "independent"}

func (p PriorDraw) String() string                   { return priorDraws.Word(int(p)) }
func (p PriorDraw) MarshalText() ([]byte, error)     { return priorDraws.Marshal(int(p)) }
func (p *PriorDraw) UnmarshalText(text []byte) error { return field.Unmarshal(p, text, priorDraws) }

// Policy is the treatment of a step that cannot be taken as printed, because it
// is indefinite (see Update) or a posterior variance ṽ_j would be negative.
type Policy int

const (
	// Fail returns an *IndefiniteError and leaves the network unchanged.
	Fail Policy = iota
	// Skip leaves the network unchanged and reports the step as Skipped.
	Skip
	// Project raises the eigenvalues of the covariance of the innovation to
	// Config.EigenvalueFloor, and then every ṽ_j to Config.VarianceFloor·v_j,
	// takes the step and reports it as Projected.
	Project
)

var policies = field.Words{"fail", "skip", "project"}

func (p Policy) String() string                   { return policies.Word(int(p)) }
func (p Policy) MarshalText() ([]byte, error)     { return policies.Marshal(int(p)) }
func (p *Policy) UnmarshalText(text []byte) error { return field.Unmarshal(p, text, policies) }
