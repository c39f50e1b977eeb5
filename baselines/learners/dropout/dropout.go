// Package dropout is Monte Carlo dropout: a multi-layer perceptron that is trained
// with units left out at random, and predicts by the mean of passes that leave out
// units at random, too (Gal and Ghahramani, "Dropout as a Bayesian approximation:
// representing model uncertainty in deep learning", ICML 2016).
//
// Hidden units are rectifiers. Every hidden unit is left out with the probability r,
// anew for each example, and else multiplied by 1/(1−r). The loss is
//
//	−(1/N) Σ_k log softmax_{c_k}(z(x_k)) + ½ Decay |w|².
package dropout

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/learners/mlp"
	"closedform/internal/field"
)

// Config describes a network and its training.
type Config struct {
	Layers []int   `toml:"-"`     // as for mlp.CheckLayers; every layer has a bias
	Rate   float64 `toml:"rate"`  // probability r < 1 of leaving out a hidden unit; zero stands for 0.2
	Decay  float64 `toml:"decay"` // of all weights, biases included; zero stands for 0.001

	mlp.Descent
}

// WithDefaults returns the configuration with its defaults filled in.
func (c Config) WithDefaults() Config {
	c.Rate = cmp.Or(c.Rate, 0.2)
	c.Decay = cmp.Or(c.Decay, 1e-3)
	c.Descent = c.Descent.WithDefaults()
	return c
}

// Validate returns an error of package field if a value is not allowed. It doesn't look at Layers.
func (c Config) Validate() error {
	return cmp.Or(field.Fraction("rate", c.Rate), field.NonNegative("decay", c.Decay), c.Descent.Validate())
}

const passes = 100 // of a prediction

// Model is a trained network.
type Model struct {
	cfg     Config
	network *mlp.Network
	weights []float64
	pass    *mlp.Pass
	masks   [][][]float64 // of each pass of a prediction, as in mlp.Pass
}

// Fit returns the network trained on the examples x[k] with the classes class[k], counted from 0.
// The masks of its predictions are drawn from src at the end, so that Predict is a function. It is an
// error if the training diverges.
func Fit(cfg Config, x [][]float64, class []int, src rand.Source) (*Model, error) {
	network, rnd, err := mlp.Start(cfg.Layers, cfg, src)
	if err != nil {
		return nil, fmt.Errorf("dropout: %w", err)
	}
	cfg = cfg.WithDefaults()
	data, err := network.Examples(x, class)
	if err != nil {
		return nil, fmt.Errorf("dropout: %w", err)
	}
	m := &Model{cfg: cfg, network: network, pass: network.NewPass()}
	m.weights = make([]float64, network.Weights())
	network.Initialise(m.weights, rnd)
	m.pass.Mask = m.newMasks()
	cfg.Run(m.weights, len(data), rnd, func(grad []float64, batch []int) {
		m.gradient(grad, data, class, batch, func() { m.draw(m.pass.Mask, rnd) })
	})
	if !mlp.Finite(m.weights...) {
		return nil, errors.New("dropout: the training diverged; need a smaller step or smaller inputs")
	}
	for len(m.masks) == 0 || len(network.Layers) > 1 && len(m.masks) < passes {
		masks := m.newMasks()
		m.draw(masks, rnd)
		m.masks = append(m.masks, masks)
	}
	return m, nil
}

// newMasks returns masks in the form of mlp.Pass.
func (m *Model) newMasks() [][]float64 {
	masks := make([][]float64, len(m.network.Layers))
	for l := 1; l < len(masks); l++ {
		masks[l] = make([]float64, m.cfg.Layers[l])
	}
	return masks
}

// draw fills the masks with 0 and 1/(1−r).
func (m *Model) draw(masks [][]float64, rnd *rand.Rand) {
	for _, mask := range masks {
		for i := range mask {
			mask[i] = 0
			if rnd.Float64() >= m.cfg.Rate {
				mask[i] = 1 / (1 - m.cfg.Rate)
			}
		}
	}
}

// gradient adds the derivatives of the loss of a batch to grad, with the masks of
// m.pass, which next renews before each example.
func (m *Model) gradient(grad []float64, data [][]float64, class []int, batch []int, next func()) {
	floats.AddScaled(grad, m.cfg.Decay, m.weights)
	p := m.pass
	for _, k := range batch {
		next()
		m.network.Forward(p, m.weights, data[k])
		copy(p.Score, p.Logit)
		mlp.Normalise(p.Score)
		p.Score[class[k]]--
		floats.Scale(1/float64(len(batch)), p.Score)
		m.network.Backward(p, grad, m.weights)
	}
}

// Predict sets p to the probabilities of the classes at x, the mean of softmax(z) over the passes.
func (m *Model) Predict(p, x []float64) error {
	mlp.CheckProbabilities(p, m.network.Outputs())
	clear(p)
	z := m.pass.Logit
	for _, m.pass.Mask = range m.masks {
		if err := m.network.Logits(m.pass, m.weights, x); err != nil {
			return fmt.Errorf("dropout: %w", err)
		}
		mlp.Normalise(z)
		floats.AddScaled(p, 1/float64(len(m.masks)), z)
	}
	return nil
}
