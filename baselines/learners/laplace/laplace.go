// Package laplace fits softmax regression and multi-layer perceptrons by maximum a posteriori, with a
// Gaussian around the mode, the Laplace approximation (MacKay, "The evidence framework applied to
// classification networks", Neural Computation 1992; Daxberger et al., "Laplace redux", NeurIPS 2021).
// [Problem.Sample] draws from the exact posterior of small networks without hidden layers.
//
// The prior is w_i ~ N(0, v_i), independent, the likelihood the softmax of the logits z(x; w). Layers before
// the last have the weights of the mode ŵ, without uncertainty. With s_k = softmax(z(x_k; ŵ)) and J_k the
// derivatives of z(x_k; ŵ) by the weights of the last layer, the covariance of these weights is the inverse
// of the negative Hessian of the log posterior, H = diag(1/v) + Σ_k J_kᵀ (diag s_k − s_k s_kᵀ) J_k. The
// logits at x are z ~ N(m, C) with m = z(x; ŵ) and C = J H⁻¹ Jᵀ. [Predictive] has rules for E softmax(z).
package laplace

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/mlp"
	"closedform/core/random"
	"closedform/internal/field"
	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

// Predictive is the rule for probabilities from the Gaussian of the logits.
type Predictive string

const (
	// Probit is MacKay's binary formula for each pair, normalised (Lu, Ie and Sha 2020, arXiv 2006.07584):
	//
	//	p_j ∝ 1/Σ_i exp((m_i − m_j)/√(1 + π/8 · Var(z_i − z_j)))
	Probit Predictive = "probit"

	// MonteCarlo is the mean softmax of 1000 draws of the logits, from the same normal numbers for every input.
	MonteCarlo Predictive = "monte-carlo"

	// PlugIn is softmax(m), the prediction of the mode, which needs no covariance.
	PlugIn Predictive = "plug-in"
)

// Words returns the words of all rules.
func (Predictive) Words() []string { return field.Words(Probit, MonteCarlo, PlugIn) }

// Config describes a model. The zero value of every field is its documented default.
type Config struct {
	// PriorVar is the prior variance of a weight, divided by the inputs of its layer with the bias.
	PriorVar float64 `toml:"prior_var" default:"1" range:"1e-12 1e12"`

	// LaplaceVar is the prior variance of the covariance around the mode, which is often far too uncertain with
	// the prior of the best mode (Daxberger et al. 2021); default prior_var.
	LaplaceVar float64 `toml:"laplace_var" range:"1e-12 1e12"`

	Predictive Predictive `toml:"predictive" default:"probit"` // how probabilities are found
}

// Numbers returns how many numbers the mode and the covariance of the last layer of a network have.
func (c Config) Numbers(layers []int) float64 {
	network := mlp.New(layers, true)
	last := float64(network.Weights() - network.Layers[len(network.Layers)-1].Offset)
	return float64(network.Weights()) + last*last
}

// Model is a fitted network.
type Model struct {
	cfg     Config
	network *mlp.Network
	weights []float64
	factor  linalg.Cholesky // L of H = LLᵀ; not for PlugIn
	normal  []float64       // a standard normal number per class for each pair of draws

	// Scratch space of a prediction.
	pass   *mlp.Pass
	image  *mat.Dense // (L⁻¹ Jᵀ)ᵀ
	logits *logits
}

const pairs = 500 // pairs of draws of MonteCarlo

// Fit fits a model with layers as [mlp.Start] has them, two of them softmax regression, to the examples x[k]
// with classes class[k], from 0; there may be none. Networks with hidden layers start from random weights of
// src, which also gives the draws of MonteCarlo. If the search for the mode does not converge, the model has
// the best weights found.
func Fit(cfg Config, layers []int, x [][]float64, class []int, src rand.Source) (*Model, error) {
	network, rnd, err := mlp.Start(layers, &cfg, src)
	if err != nil {
		return nil, err
	}
	prior := Prior{Layers: layers, Bias: true, Var: network.PriorVar(cfg.PriorVar)}
	problem, err := NewProblem(prior, x, class)
	if err != nil {
		return nil, err
	}
	start := make([]float64, network.Weights())
	if len(network.Layers) > 1 {
		network.Initialise(start, rnd)
	}
	m := &Model{cfg: cfg, network: network, pass: network.NewPass()}
	m.logits = newLogits(m.pass.Logit, mat.NewSymDense(network.Outputs(), nil))
	if m.weights, err = problem.climb(start); err != nil {
		return nil, err
	}
	m.normal = random.Normals(rnd, pairs*network.Outputs())
	if cfg.Predictive == PlugIn {
		return m, nil
	}
	problem.prior.Var = network.PriorVar(cmp.Or(cfg.LaplaceVar, cfg.PriorVar)) // prior for the covariance
	layer := network.Layers[len(network.Layers)-1]
	h := mat.NewSymDense(layer.In*layer.Out, nil)
	problem.information(h, m.weights)
	if !m.factor.Factorize(h) {
		return nil, errors.New("laplace: the precision of the weights is not positive definite")
	}
	m.image = mat.NewDense(layer.Out, layer.In*layer.Out, nil)
	return m, nil
}

// Predict sets p to the probabilities of the classes at x.
func (m *Model) Predict(p, x []float64) error {
	if err := m.network.Softmax(p, m.pass, m.weights, x); err != nil || m.cfg.Predictive == PlugIn {
		return err
	}
	if err := m.setLogits(); err != nil {
		return err
	}
	if m.cfg.Predictive == MonteCarlo {
		return m.logits.monteCarlo(p, m.normal)
	}
	m.logits.probit(p)
	return nil
}

func (m *Model) setLogits() error {
	z := m.logits
	phi := m.pass.Input(len(m.network.Layers) - 1)
	for j := range z.mean {
		image := m.image.RawRowView(j)
		clear(image)
		copy(image[j*len(phi):], phi)
		m.factor.Solve(image)
		for i := range j + 1 {
			c := kernel.Dot(image, m.image.RawRowView(i))
			if !kernel.Finite(c) {
				return fmt.Errorf("the covariance of logits %d and %d overflows", i, j)
			}
			z.cov.SetSym(i, j, c)
		}
	}
	return nil
}

type logits struct {
	mean       []float64
	cov        *mat.SymDense
	factor     linalg.Cholesky // F of C = FFᵀ
	step, draw []float64       // F times standard normal numbers, and a draw of the logits
}

func newLogits(mean []float64, cov *mat.SymDense) *logits {
	return &logits{mean: mean, cov: cov, step: make([]float64, len(mean)), draw: make([]float64, len(mean))}
}

func (z *logits) probit(p []float64) {
	for j, m := range z.mean {
		var sum float64
		for i, other := range z.mean {
			v := max(0, z.cov.At(i, i)+z.cov.At(j, j)-2*z.cov.At(i, j))
			sum += kernel.Exp((other - m) / math.Sqrt(1+math.Pi/8*v))
		}
		p[j] = 1 / sum
	}
	floats.Scale(1/kernel.Sum(p), p)
}

func (z *logits) monteCarlo(p, normal []float64) error {
	if !z.factor.Factorize(z.cov) {
		return errors.New("laplace: the covariance of the logits is not positive definite")
	}
	clear(p)
	n := len(p)
	for ; len(normal) > 0; normal = normal[n:] {
		for j := range n {
			z.step[j] = kernel.Dot(z.factor.Row(j), normal[:j+1])
		}
		for _, sign := range []float64{1, -1} {
			floats.AddScaledTo(z.draw, z.mean, sign, z.step)
			mlp.Normalise(z.draw)
			floats.Add(p, z.draw)
		}
	}
	floats.Scale(1/kernel.Sum(p), p)
	return nil
}
