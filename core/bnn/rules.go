package bnn

import "fmt"

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

	// ADF takes the exact posterior moments of the logits given the label
	// under the likelihood of the probit with ρ = ½, which Softmax must be
	// (assumed-density filtering). It has nothing that could be indefinite.
	ADF

	// ADFExact is ADF under the likelihood of the softmax itself; Softmax must
	// be softmax.Exact.
	ADFExact
)

func (r OutputRule) String() string {
	switch r {
	case Joint:
		return "joint"
	case Total:
		return "total"
	case ADF:
		return "adf"
	case ADFExact:
		return "adf-exact"
	}
	return fmt.Sprintf("OutputRule(%d)", int(r))
}

// HiddenRule says how the update treats hidden layers.
type HiddenRule int

const (
	// Frozen is the rule of the paper, Algorithms 1 and 2: a hidden layer hands
	// on the mean of its output and drops the variance, and its target is that
	// same mean. The innovation is zero: hidden means never move, and hidden
	// covariances shrink whatever the label.
	Frozen HiddenRule = iota

	// Smooth hands on the variance, too, and sends the update back through
	// every layer as a Kalman smoother does (Goulet et al. 2021; Wagner, Wu and
	// Huber 2023), with the means of the weights before their own update.
	Smooth

	// SmoothMean hands on the mean of the output only, as Frozen does, and sends
	// the update back as Smooth does. The variance of a pre-activation is then
	// that of its own weights. What Smooth adds to it is the uncertainty of the
	// layers below, which all neurons of a layer have in common and Smooth counts
	// for each of them anew: wide networks learn faster without it.
	SmoothMean
)

func (r HiddenRule) String() string {
	switch r {
	case Frozen:
		return "frozen"
	case Smooth:
		return "smooth"
	case SmoothMean:
		return "smooth-mean"
	}
	return fmt.Sprintf("HiddenRule(%d)", int(r))
}

// Covariance says which covariances of the weights of a neuron are kept.
type Covariance int

const (
	Full     Covariance = iota // those of all pairs
	Diagonal                   // variances only
	Shared                     // those of all pairs, but the same for all neurons of the layer
)

func (c Covariance) String() string {
	switch c {
	case Full:
		return "full"
	case Diagonal:
		return "diagonal"
	case Shared:
		return "shared"
	}
	return fmt.Sprintf("Covariance(%d)", int(c))
}

// OutputCovariance says which neurons of the output layer have weights that are
// correlated.
type OutputCovariance int

const (
	// PerNeuron takes the weights of different neurons for independent, as the
	// paper does and as all hidden layers are.
	PerNeuron OutputCovariance = iota

	// JointNeurons has one Gaussian over the weights of all output neurons, and
	// correlated logits. It is for ADFExact with at most softmax.MostCorrelated
	// classes, and a grid in one dimension less is what a step costs.
	JointNeurons
)

func (o OutputCovariance) String() string {
	switch o {
	case PerNeuron:
		return "per-neuron"
	case JointNeurons:
		return "joint"
	}
	return fmt.Sprintf("OutputCovariance(%d)", int(o))
}

// Prior says what PriorVar means.
type Prior int

const (
	PaperPrior  Prior = iota // the variance of every weight
	ScaledPrior              // that times the number of inputs, so that the pre-activations of all layers are alike
)

func (p Prior) String() string {
	switch p {
	case PaperPrior:
		return "paper"
	case ScaledPrior:
		return "scaled"
	}
	return fmt.Sprintf("Prior(%d)", int(p))
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
