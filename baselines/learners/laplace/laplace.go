// Package laplace fits softmax regression and multi-layer perceptrons by their
// maximum a posteriori and puts a Gaussian round it, the Laplace approximation
// (MacKay, "The evidence framework applied to classification networks", Neural
// Computation 1992; Daxberger et al., "Laplace redux", NeurIPS 2021). It is a
// batch method: it sees all examples at once, any number of times.
//
// The prior is w_i ~ N(0, v_i), independent, the likelihood the softmax of the
// logits z(x; w). With ŵ the mode, s_k = softmax(z(x_k; ŵ)) and J_k = ∂z(x_k; ŵ)/∂w,
// the covariance of the weights is the inverse of the generalised Gauss–Newton
// matrix
//
//	H = diag(1/v) + Σ_k J_kᵀ (diag s_k − s_k s_kᵀ) J_k,
//
// which is the negative Hessian of the log posterior where there is no hidden
// layer. A prediction takes the network for linear in the weights round ŵ (Immer,
// Korzepa and Bauer, "Improving predictions of Bayesian neural nets via local
// linearization", AISTATS 2021): the logits at x are
//
//	z ~ N(m, C),   m = z(x; ŵ),   C = J H⁻¹ Jᵀ,
//
// and the probabilities E softmax(z), by one of several rules.
//
// For small networks without hidden layers there is the exact posterior, too: a [Prior]
// and data make a [Problem], and [Importance] turns it into a [Sample] of weights, which
// predicts. It refuses to return one of a small effective sample size.
package laplace

import (
	"cmp"

	"closedform/baselines/learners/mlp"
	"closedform/internal/field"
)

// Covariance says which covariances of the weights are kept.
type Covariance string

const (
	// Full has those of all pairs of W weights, for which hidden networks cost of the
	// order of examples · classes · W² operations.
	Full Covariance = "full"

	// LastLayer has all those of the last layer, and takes the layers before it
	// for certain: H is that of the features that they make. Without hidden layers
	// it is Full.
	LastLayer Covariance = "last-layer"
)

// Predictive says how the Gaussian of the logits makes probabilities.
type Predictive string

const (
	// Probit shrinks each logit on its own by MacKay's factor for two classes, as is
	// usual for many (Gibbs 1997, thesis; Daxberger et al. 2021):
	//
	//	p = softmax(m_j/√(1 + π/8 · C_jj))
	//
	// with the mean of the logits as their origin, for m as for C: the variance of what
	// all logits have in common, which no label reduces, would shrink them to nothing.
	Probit Predictive = "probit"

	// MonteCarlo is the mean of the softmax over 1000 draws of the logits, of the same
	// standard normal numbers for every input.
	MonteCarlo Predictive = "monte-carlo"

	// PlugIn is softmax(m), the prediction of the mode, which needs no covariance.
	PlugIn Predictive = "plug-in"
)

// Config describes a model. The zero value of every field but Layers is its
// documented default.
type Config struct {
	// Layers are as for mlp.CheckLayers, two of them softmax regression; every layer has
	// a bias.
	Layers []int `toml:"-"`

	// PriorVar is the prior variance of every weight times the number of inputs of
	// its layer, the bias among them; zero stands for 1.
	PriorVar float64 `toml:"prior_var"`

	// LaplaceVar is put for PriorVar in H, once the mode is found; zero stands for
	// PriorVar. The prior with the best mode often makes a Laplace approximation that
	// is far too uncertain; the usual remedy is a LaplaceVar chosen on held-back data
	// (Daxberger et al. 2021).
	LaplaceVar float64 `toml:"laplace_var"`

	// Steps is the most steps that the climb towards a mode takes where there are hidden
	// layers; zero stands for 100. With more of them the last digits of a processor, or of
	// the data, show in the result.
	Steps int `toml:"steps"`

	Covariance Covariance `toml:"covariance"` // Full if empty
	Predictive Predictive `toml:"predictive"` // Probit if empty
}

// WithDefaults returns the configuration with its defaults filled in. A LaplaceVar
// of zero stays, so that it follows a PriorVar that is changed later.
func (c Config) WithDefaults() Config {
	c.PriorVar = cmp.Or(c.PriorVar, 1)
	c.Steps = cmp.Or(c.Steps, 100)
	c.Covariance, c.Predictive = cmp.Or(c.Covariance, Full), cmp.Or(c.Predictive, Probit)
	return c
}

// Validate returns an error of package field if a value is not allowed. It doesn't
// look at Layers.
func (c Config) Validate() error {
	c = c.WithDefaults()
	return cmp.Or(
		mlp.CheckVariance("prior_var", c.PriorVar),
		mlp.CheckVariance("laplace_var", cmp.Or(c.LaplaceVar, c.PriorVar)),
		field.Within("steps", c.Steps, 1, 100_000),
		field.OneOf("covariance", c.Covariance, Full, LastLayer),
		field.OneOf("predictive", c.Predictive, Probit, MonteCarlo, PlugIn),
	)
}
