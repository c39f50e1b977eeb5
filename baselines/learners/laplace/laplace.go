// Package laplace fits softmax regression and multi-layer perceptrons by their maximum a posteriori
// and puts a Gaussian round it, the Laplace approximation (MacKay, "The evidence framework applied
// to classification networks", Neural Computation 1992; Daxberger et al., "Laplace redux", NeurIPS
// 2021). It is a batch method: it sees all examples at once, any number of times.
//
// The prior is w_i ~ N(0, v_i), independent, the likelihood the softmax of the
// logits z(x; w). The layers before the last have the weights of the mode ŵ, without uncertainty. With
// s_k = softmax(z(x_k; ŵ)) and J_k the derivatives of z(x_k; ŵ) by the weights of the last layer, the
// covariance of these weights is the inverse of the negative Hessian of the log posterior
//
//	H = diag(1/v) + Σ_k J_kᵀ (diag s_k − s_k s_kᵀ) J_k,
//
// The logits at x are z ~ N(m, C) with m = z(x; ŵ) and C = J H⁻¹ Jᵀ. The probabilities of the classes
// are E softmax(z), approximated by one of several rules.
//
// [Problem.Sample] draws from the exact posterior of small networks without hidden layers.
package laplace

import (
	"cmp"

	"closedform/baselines/learners/mlp"
	"closedform/internal/field"
)

// Predictive says how the Gaussian of the logits makes probabilities.
type Predictive string

const (
	// Probit shrinks each logit by MacKay's factor for two classes (Gibbs 1997, thesis):
	//
	//	p = softmax(m_j/√(1 + π/8 · C_jj))
	//
	// m and C are those of the differences z_j − z̄ from the mean logit z̄: no label reduces the
	// variance of z̄, which would shrink all logits to nothing.
	Probit Predictive = "probit"

	// MonteCarlo is the mean of the softmax over 1000 draws of the logits, of the same
	// standard normal numbers for every input.
	MonteCarlo Predictive = "monte-carlo"

	// PlugIn is softmax(m), the prediction of the mode, which needs no covariance.
	PlugIn Predictive = "plug-in"
)

// Config describes a model. The zero value of every field but Layers is its documented default.
type Config struct {
	// Layers are as for mlp.CheckLayers, two of them softmax regression; every layer has a bias.
	Layers []int `toml:"-"`

	// PriorVar is the prior variance of every weight times the number of inputs of
	// its layer, the bias among them; zero stands for 1.
	PriorVar float64 `toml:"prior_var"`

	// LaplaceVar replaces PriorVar in H; zero stands for PriorVar. The prior with the best mode often
	// makes a Laplace approximation that is far too uncertain; the usual remedy is a LaplaceVar
	// chosen on held-out data (Daxberger et al. 2021).
	LaplaceVar float64 `toml:"laplace_var"`

	Predictive Predictive `toml:"predictive"` // Probit if empty
}

// WithDefaults returns the configuration with its defaults filled in. A LaplaceVar
// of zero stays, so that it follows a PriorVar that is changed later.
func (c Config) WithDefaults() Config {
	c.PriorVar = cmp.Or(c.PriorVar, 1)
	c.Predictive = cmp.Or(c.Predictive, Probit)
	return c
}

// Numbers returns how many numbers the mode and the covariance of the last layer have. It needs
// Layers.
func (c Config) Numbers() float64 {
	network := mlp.New(c.Layers, true)
	last := float64(network.Weights() - network.Layers[len(network.Layers)-1].Offset)
	return float64(network.Weights()) + last*last
}

// Validate returns an error of package field if a value is not allowed. It doesn't look at Layers.
func (c Config) Validate() error {
	c = c.WithDefaults()
	return cmp.Or(
		mlp.CheckVariance("prior_var", c.PriorVar),
		mlp.CheckVariance("laplace_var", cmp.Or(c.LaplaceVar, c.PriorVar)),
		field.OneOf("predictive", c.Predictive, Probit, MonteCarlo, PlugIn),
	)
}
