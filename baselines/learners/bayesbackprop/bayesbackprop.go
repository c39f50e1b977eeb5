// Package bayesbackprop is Bayes by Backprop: a multi-layer perceptron whose weights are Gaussian
// and independent of each other, trained by stochastic gradients of the evidence lower bound
// (Blundell et al., "Weight uncertainty in neural networks", ICML 2015).
//
// Hidden units are rectifiers. Weight i of a layer with d inputs, the bias among
// them, has the prior N(0, v/d) and the posterior N(μ_i, σ_i²). The loss is the
// negative ELBO over the number N of examples,
//
//	−(1/N) Σ_k E log softmax_{c_k}(z(x_k)) + (1/N) Σ_i KL_i,
//	KL_i = ½ (r_i − 1 − log r_i + μ_i² d/v),   r_i = σ_i² d/v.
//
// Its expectation is over one draw for each example, not of the weights but of the
// pre-activations that they make, given the inputs y of the layer,
//
//	z_j = Σ_i μ_ji y_i + ε_j √(Σ_i σ_ji² y_i²),   ε_j ~ N(0, 1),
//
// which has the same distribution and less noise in the gradient (the local reparameterisation of
// Kingma, Salimans and Welling, "Variational dropout and the local reparameterization trick", NIPS
// 2015). The descent is over μ_i and log σ_i, where Blundell et al. have log(exp σ_i − 1).
package bayesbackprop

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"closedform/baselines/learners/mlp"
	"closedform/internal/kernel"
)

// Config describes a network and its training.
type Config struct {
	Layers   []int   `toml:"-"`         // as for mlp.CheckLayers; every layer has a bias
	PriorVar float64 `toml:"prior_var"` // v; zero stands for 20

	mlp.Descent
}

// WithDefaults returns the configuration with its defaults filled in.
func (c Config) WithDefaults() Config {
	c.PriorVar = cmp.Or(c.PriorVar, 20)
	c.Descent = c.Descent.WithDefaults()
	return c
}

// Validate returns an error of package field if a value is not allowed. It doesn't look at Layers.
func (c Config) Validate() error {
	return cmp.Or(mlp.CheckVariance("prior_var", c.WithDefaults().PriorVar), c.Descent.Validate())
}

const (
	startSD = 0.1 // σ_i at the start of the training, in units of the prior
	samples = 100 // of a prediction
)

// Model is a trained network.
type Model struct {
	network *network
	pass    *pass
	x       []float64
	noise   [][]float64 // of each sample of a prediction, neuron by neuron
}

// Fit returns the network trained on the examples x[k] with the classes class[k], counted from 0.
// The noise of its predictions is drawn from src at the end, so that Predict is a function. It is an
// error if the training diverges.
func Fit(cfg Config, x [][]float64, class []int, src rand.Source) (*Model, error) {
	shape, rnd, err := mlp.Start(cfg.Layers, cfg, src)
	if err != nil {
		return nil, fmt.Errorf("bayesbackprop: %w", err)
	}
	cfg = cfg.WithDefaults()
	data, err := shape.Examples(x, class)
	if err != nil {
		return nil, fmt.Errorf("bayesbackprop: %w", err)
	}
	net := newNetwork(shape, cfg.PriorVar)
	m := &Model{network: net, pass: newPass(net), x: make([]float64, cfg.Layers[0]+1)}
	net.shape.Initialise(net.mean, rnd)
	for i, prior := range net.prior {
		net.logSD[i] = kernel.Log(prior)/2 + kernel.Log(startSD)
	}
	cfg.Run(net.parameters, len(data), rnd, func(grad []float64, batch []int) {
		net.update()
		for _, k := range batch {
			m.pass.draw(rnd)
			net.addLogLoss(grad, m.pass, data[k], class[k], 1/float64(len(batch)))
		}
		net.toLogSD(grad)
		net.addDivergence(grad, 1/float64(len(data)))
	})
	net.update()
	if !mlp.Finite(net.parameters...) || !mlp.Finite(net.variance...) {
		return nil, errors.New("bayesbackprop: the training diverged; need a smaller step or smaller inputs")
	}
	for range samples {
		m.pass.draw(rnd)
		m.noise = append(m.noise, slices.Clone(m.pass.noise))
	}
	return m, nil
}

// Predict sets p to the probabilities of the classes at x, the mean of softmax(z) over samples of the
// pre-activations.
func (m *Model) Predict(p, x []float64) error {
	mlp.CheckProbabilities(p, m.network.shape.Outputs())
	if err := mlp.SetInput(m.x, x); err != nil {
		return fmt.Errorf("bayesbackprop: %w", err)
	}
	clear(p)
	m.network.project(m.pass, 0, m.x) // is the same for all samples
	for _, noise := range m.noise {
		copy(m.pass.noise, noise)
		m.network.forward(m.pass)
		mlp.Normalise(m.pass.logit)
		for j, s := range m.pass.logit {
			p[j] += s / float64(len(m.noise))
		}
	}
	if !mlp.Finite(p...) {
		return errors.New("bayesbackprop: the logits overflow")
	}
	return nil
}
