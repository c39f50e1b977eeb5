package bnn

// OutputRule is the update of the logits by a label.
type OutputRule string

const (
	// ADF takes the exact posterior of the logits given the label under the likelihood of the probit with
	// ρ = ½ (assumed-density filtering). Of this posterior it keeps the means m̃ and the independent variances
	// ṽ from v/1000 to 2v that fit the variances of all differences z_i − z_j, on which alone probabilities
	// depend, best in least squares: neither moment matching nor a projection. Within bounds they are
	// softmax.Posterior.Free.
	//
	// The likelihood is the softmax all the same, which this probit approximates in learning and predicting.
	ADF OutputRule = "adf"

	// ADFExact is ADF under the likelihood of the softmax itself. It approximates nothing but the posterior.
	ADFExact OutputRule = "adf-exact"

	// ADFMarginal is ADF, but keeps the variance of each logit. Then differences keep too much variance: with
	// two classes half of what the label says is lost.
	ADFMarginal      OutputRule = "adf-marginal"
	ADFExactMarginal OutputRule = "adf-exact-marginal" // ADFExact, but keeps the variance of each logit

	// Joint is the rule of the paper, Eq. (z): logits and probabilities are taken for jointly Gaussian, and
	// the one-hot label y for a noise-free observation of the probabilities. Over the first n−1 classes
	//
	//	m̃ = m + Σ_zy Σ_y⁻¹ (y − p),   ṽ = diag(diag(v) − Σ_zy Σ_y⁻¹ Σ_zyᵀ).
	//
	// Where Σp ≠ 1 (probit with ρ ≠ ½) it matters which class is the last.
	Joint OutputRule = "joint"

	// Total is Joint with the covariance S = diag(p) − ppᵀ of the label for the Σ_y of the probabilities.
	// S includes the noise of the label given the probabilities. Total keeps the same variances of the
	// posterior as ADF.
	Total OutputRule = "total"
)

func (r OutputRule) assumedDensity() bool { return r != Joint && r != Total }
func (r OutputRule) exact() bool          { return r == ADFExact || r == ADFExactMarginal }
func (r OutputRule) marginal() bool       { return r == ADFMarginal || r == ADFExactMarginal }

// HiddenRule is what hidden layers pass on, and how an update moves them.
type HiddenRule string

const (
	// SmoothMean passes on the mean of the output of a hidden layer, and propagates the update back
	// through every layer by Kalman smoothing (Goulet et al. 2021; Wagner, Wu and Huber 2023). It
	// ignores the variance of a layer's inputs, which Smooth counts for each neuron separately
	// though all share it: wide networks learn faster without it.
	SmoothMean HiddenRule = "smooth-mean"

	// Smooth is SmoothMean, but passes on the variance, too.
	Smooth HiddenRule = "smooth"

	// Frozen is the rule of the paper, Algorithms 1 and 2: a hidden layer passes on the mean of its
	// output, and its target is that same mean. So hidden means never move, and hidden covariances
	// shrink whatever the label is.
	Frozen HiddenRule = "frozen"
)

// Covariance is the form of the covariances Σ_j of the weights of the neurons j of a layer.
type Covariance string

const (
	Full     Covariance = "full"     // those of all pairs
	Diagonal Covariance = "diagonal" // variances only
	Shared   Covariance = "shared"   // those of all pairs, but the same for all neurons of the layer
)

// PriorDraw is the distribution of the random prior means.
type PriorDraw string

const (
	// Orthogonal draws the mean weights of hidden neurons in orthogonal directions, in the first
	// hidden layer as pairs u and −u, whose rectified sum and difference are even and linear in the
	// input. The bias weight is doubled, so that the kinks of the units spread over the data. The
	// means of the output layer are zero.
	Orthogonal PriorDraw = "orthogonal"

	Independent PriorDraw = "independent" // all weights of all layers one by one
)

// Policy is what happens to a step that cannot be taken as printed: it is indefinite, see [Update], or
// a posterior variance ṽ_j would be negative.
type Policy string

const (
	Fail Policy = "fail" // return an *IndefiniteError and leave the network unchanged
	Skip Policy = "skip" // leave the network unchanged and report the step as Skipped

	// Project raises the eigenvalues of the covariance of the innovation to
	// PaperRule.EigenvalueFloor, and then every ṽ_j to PaperRule.VarianceFloor·v_j.
	Project Policy = "project"
)
