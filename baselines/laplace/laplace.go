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
// and the probabilities E softmax(z), by one of several rules. (Weights drawn from
// this Gaussian and put through the network itself are known to fit badly.)
package laplace

import (
	"fmt"
	"math"
	"slices"

	"closedform/core/bnn"
)

// Covariance says which covariances of the weights are kept.
type Covariance int

const (
	// LastLayer has all those of the last layer, and takes the layers before it
	// for certain: H is that of the features that they make. Without hidden layers
	// it is Full.
	LastLayer Covariance = iota

	// Full has those of all pairs of weights. With W weights in hidden networks it
	// costs of the order of examples · classes · W² operations: it is for W of some
	// hundreds.
	Full

	// Diagonal has the variances of all weights, the inverse of the diagonal of H.
	Diagonal
)

func (c Covariance) String() string {
	switch c {
	case LastLayer:
		return "last-layer"
	case Full:
		return "full"
	case Diagonal:
		return "diagonal"
	}
	return fmt.Sprintf("Covariance(%d)", int(c))
}

// Predictive says how the Gaussian of the logits makes probabilities.
type Predictive int

const (
	// Probit shrinks each logit on its own by MacKay's factor for two classes, as is
	// usual for many (Gibbs 1997, thesis; Daxberger et al. 2021):
	//
	//	p = softmax(m_j/√(1 + π/8 · C_jj))
	//
	// The formula depends on the origin of the logits. Here it is their mean, of m
	// as of C. The variance of what all logits have in common, which no label ever
	// reduces and the softmax does not see, would shrink them to nothing.
	Probit Predictive = iota

	// Pairwise replaces each pairwise logistic function of the softmax by its mean,
	// and that by MacKay's formula, with the covariances of the logits:
	//
	//	p_j ∝ 1/Σ_i exp((m_i − m_j)/√(1 + π/8 · (C_jj + C_ii − 2C_ij)))
	//
	// (Lu, Ie and Sha, "Mean-field approximation to Gaussian-softmax integral",
	// arXiv 2006.07584, of order 2). For two classes it is MacKay's formula, for
	// many it is too uncertain where C is large.
	Pairwise

	// MonteCarlo is the mean of the softmax over draws of the logits. The same
	// standard normal numbers serve every input: a model predicts the same
	// whenever it is asked.
	MonteCarlo

	// PlugIn is softmax(m), the prediction of the mode, which needs no covariance.
	PlugIn
)

func (p Predictive) String() string {
	switch p {
	case Pairwise:
		return "pairwise"
	case Probit:
		return "probit"
	case MonteCarlo:
		return "monte-carlo"
	case PlugIn:
		return "plug-in"
	}
	return fmt.Sprintf("Predictive(%d)", int(p))
}

// Config describes a model. The zero value of every field but Layers is its
// documented default.
type Config struct {
	// Layers are the numbers of inputs, of rectifiers in each hidden layer, and of
	// classes: at least two entries, at least two classes. Two entries are softmax
	// regression. Every layer has a bias as a further input.
	Layers []int

	// PriorVar is the prior variance of every weight, divided by the inputs of its
	// layer, bias included, if Prior is bnn.ScaledPrior; zero stands for 1.
	PriorVar float64
	Prior    bnn.Prior

	Covariance Covariance
	Predictive Predictive

	// LaplaceVar is put for PriorVar in H, once the mode is found; zero stands for
	// PriorVar. The mode often predicts best with a prior so wide that its Laplace
	// approximation, where examples are well separated, is far too uncertain: a
	// LaplaceVar of its own, chosen on held-back data, is the usual remedy
	// (Daxberger et al. 2021; Kristiadi, Hein and Hennig, "Being Bayesian, even
	// just a bit, fixes overconfidence in ReLU networks", ICML 2020).
	LaplaceVar float64

	// Samples is the number of draws of MonteCarlo, an even one; zero stands for
	// 1000.
	Samples int

	// Starts is the number of climbs to a mode from random weights, of which the
	// one that ends highest counts; zero stands for 1. Without hidden layers there
	// is one mode, and one climb.
	Starts int
}

// withDefaults returns a copy with its defaults filled in, or an error that names
// the field and what it allows.
func (c Config) withDefaults() (Config, error) {
	if len(c.Layers) < 2 {
		return c, fmt.Errorf("laplace: Layers = %v: need at least inputs and classes", c.Layers)
	}
	for _, width := range c.Layers {
		if width < 1 {
			return c, fmt.Errorf("laplace: Layers = %v: every layer needs at least 1 neuron", c.Layers)
		}
	}
	if c.classes() < 2 {
		return c, fmt.Errorf("laplace: Layers = %v: need at least 2 classes", c.Layers)
	}
	if c.PriorVar == 0 {
		c.PriorVar = 1
	}
	if !(c.PriorVar >= minVar && c.PriorVar <= maxVar) {
		return c, fmt.Errorf("laplace: PriorVar = %g: need %g to %g", c.PriorVar, minVar, maxVar)
	}
	if c.LaplaceVar == 0 {
		c.LaplaceVar = c.PriorVar
	}
	if !(c.LaplaceVar >= minVar && c.LaplaceVar <= maxVar) {
		return c, fmt.Errorf("laplace: LaplaceVar = %g: need %g to %g", c.LaplaceVar, minVar, maxVar)
	}
	if c.Prior != bnn.PaperPrior && c.Prior != bnn.ScaledPrior {
		return c, fmt.Errorf("laplace: Prior = %v: allowed: paper, scaled", c.Prior)
	}
	if c.Covariance != LastLayer && c.Covariance != Full && c.Covariance != Diagonal {
		return c, fmt.Errorf("laplace: Covariance = %v: allowed: last-layer, full, diagonal", c.Covariance)
	}
	if c.Predictive != Probit && c.Predictive != Pairwise && c.Predictive != MonteCarlo && c.Predictive != PlugIn {
		return c, fmt.Errorf("laplace: Predictive = %v: allowed: probit, pairwise, monte-carlo, plug-in", c.Predictive)
	}
	if c.Samples == 0 {
		c.Samples = 1000
	}
	if c.Samples < 0 || c.Samples%2 != 0 {
		return c, fmt.Errorf("laplace: Samples = %d: need an even positive number", c.Samples)
	}
	if c.Starts == 0 {
		c.Starts = 1
	}
	if c.Starts < 0 {
		return c, fmt.Errorf("laplace: Starts = %d: need a positive number", c.Starts)
	}
	c.Layers = slices.Clone(c.Layers)
	return c, nil
}

// Beyond these prior variances the mode has no digits, or takes for ever to find.
const minVar, maxVar = 1e-12, 1e12

func (c *Config) classes() int { return c.Layers[len(c.Layers)-1] }

func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }
