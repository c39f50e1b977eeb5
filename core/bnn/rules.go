package bnn

import "closedform/internal/field"

// OutputRule is the update of the logits by a label.
type OutputRule string

const (
	// ADF takes the exact posterior of the logits given the label, with the probit with ρ = ½ in place of the
	// softmax (assumed-density filtering). It keeps the means m̃ and those independent variances ṽ, from v/1000
	// to 2v, that fit the variances of all differences z_i − z_j best in least squares. Probabilities depend on
	// differences only. Within bounds ṽ is softmax.Posterior.Free, neither moment matching nor a projection.
	ADF OutputRule = "adf"

	// ADFExact is ADF under the softmax likelihood itself. It approximates nothing but the posterior.
	ADFExact OutputRule = "adf-exact"

	// ADFMarginal is ADF, but keeps the variance of each logit. Then differences keep too much variance: with
	// two classes half of the information in the label is lost.
	ADFMarginal      OutputRule = "adf-marginal"
	ADFExactMarginal OutputRule = "adf-exact-marginal" // ADFExact, but keeps the variance of each logit

	// Joint is the rule of the paper, Eq. (z): logits and probabilities count as jointly Gaussian, and the
	// one-hot label y as a noise-free observation of the probabilities. Over the first n−1 classes
	//
	//	m̃ = m + Σ_zy Σ_y⁻¹ (y − p),   ṽ = diag(diag(v) − Σ_zy Σ_y⁻¹ Σ_zyᵀ).
	//
	// Where Σp ≠ 1 (probit with ρ ≠ ½) the result depends on which class is the last.
	Joint OutputRule = "joint"

	// Total is Joint with Σ_y replaced by the covariance S = diag(p) − ppᵀ of the label, which includes the
	// noise of the label given the probabilities. It keeps the same variances of the posterior as ADF.
	Total OutputRule = "total"
)

// Words returns the words of all output rules.
func (OutputRule) Words() []string {
	return field.Words(ADF, ADFExact, ADFMarginal, ADFExactMarginal, Joint, Total)
}

func (r OutputRule) assumedDensity() bool { return r != Joint && r != Total }
func (r OutputRule) exact() bool          { return r == ADFExact || r == ADFExactMarginal }
func (r OutputRule) marginal() bool       { return r == ADFMarginal || r == ADFExactMarginal }

// HiddenRule is what hidden layers pass on, and how an update moves them.
type HiddenRule string

const (
	// SmoothMean passes on the mean output of a hidden layer, and propagates the update back through every layer
	// by Kalman smoothing (Goulet et al. 2021; Wagner, Wu and Huber 2023). Unlike Smooth it ignores the variance
	// of a layer's inputs. Smooth counts that variance for each neuron separately although all share it, so wide
	// networks learn more slowly with Smooth.
	SmoothMean HiddenRule = "smooth-mean"

	// Smooth is SmoothMean, but also passes on the variance.
	Smooth HiddenRule = "smooth"

	// Frozen is the rule of the paper, Algorithms 1 and 2: a hidden layer passes on its mean output, and its
	// target is the same mean. Hidden means never move, and hidden covariances shrink whatever the label is.
	Frozen HiddenRule = "frozen"
)

// Words returns the words of all hidden rules.
func (HiddenRule) Words() []string { return field.Words(SmoothMean, Smooth, Frozen) }

// Covariance is the form of the covariances Σ_j of the weights of the neurons j of a layer.
type Covariance string

const (
	Full     Covariance = "full"     // covariances of all pairs of weights
	Diagonal Covariance = "diagonal" // variances only
	Shared   Covariance = "shared"   // as Full, but the same for all neurons of the layer
)

// Words returns the words of all forms.
func (Covariance) Words() []string { return field.Words(Full, Diagonal, Shared) }

// PriorDraw is the distribution of the random prior means.
type PriorDraw string

const (
	// Orthogonal draws the mean weights of hidden neurons in orthogonal directions, in the first hidden layer as
	// pairs u and −u, whose rectified sum and difference are even and linear in the input. The bias weight is
	// doubled to spread the kinks of the units over the data. Output means are zero.
	Orthogonal PriorDraw = "orthogonal"

	Independent PriorDraw = "independent" // draws all weights independently
)

// Words returns the words of all distributions.
func (PriorDraw) Words() []string { return field.Words(Orthogonal, Independent) }

// Policy is what happens to a step that is indefinite, see [Update], or has a negative ṽ_j.
type Policy string

const (
	Fail Policy = "fail" // return an *IndefiniteError and leave the network unchanged
	Skip Policy = "skip" // leave the network unchanged and report the step as Skipped

	// Project raises the eigenvalues of the innovation covariance to PaperRule.EigenvalueFloor, then every ṽ_j
	// to PaperRule.VarianceFloor·v_j.
	Project Policy = "project"
)

// Words returns the words of all policies.
func (Policy) Words() []string { return field.Words(Fail, Skip, Project) }
