// Package dropout is Monte Carlo dropout: a multi-layer perceptron that is trained with units left out at
// random, and predicts by the mean of passes that leave out units at random, too (Gal and Ghahramani,
// "Dropout as a Bayesian approximation: representing model uncertainty in deep learning", ICML 2016).
//
// Hidden units are rectifiers. Every hidden unit is left out with the probability r, anew for each example,
// and else multiplied by 1/(1−r). The loss is
//
//	−(1/N) Σ_k log softmax_{c_k}(z(x_k)) + ½ Decay |w|².
package dropout

import (
	"errors"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/learners/mlp"
)

// Config describes a network and its training.
type Config struct {
	// As for mlp.CheckLayers; every layer has a bias.
	Layers []int   `toml:"-"`
	Rate   float64 `toml:"rate" default:"0.2" range:"0 0.9999"`   // probability r of leaving out a unit
	Decay  float64 `toml:"decay" default:"0.001" range:"0 1e100"` // of all weights, biases included

	mlp.Descent
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

// Fit returns the network trained on the examples x[k] with the classes class[k], counted from 0. The
// masks of its predictions are drawn from src at the end. It is an error if the training diverges.
func Fit(cfg Config, x [][]float64, class []int, src rand.Source) (*Model, error) {
	network, data, rnd, err := mlp.Start(cfg.Layers, &cfg, x, class, src)
	if err != nil {
		return nil, err
	}
	m := &Model{cfg: cfg, network: network, pass: network.NewPass()}
	m.weights = make([]float64, network.Weights())
	network.Initialise(m.weights, rnd)
	cfg.Run(m.weights, len(data), rnd, func(grad []float64, batch []int) {
		floats.AddScaled(grad, cfg.Decay, m.weights)
		p := m.pass
		for _, k := range batch {
			p.Mask = m.masked(rnd)
			network.Forward(p, m.weights, data[k])
			p.SetScore(class[k])
			floats.Scale(1/float64(len(batch)), p.Score)
			network.Backward(p, grad, m.weights)
		}
	})
	if !mlp.Finite(m.weights...) {
		return nil, errors.New("dropout: the training diverged; need a smaller step or smaller inputs")
	}
	for len(m.masks) == 0 || len(network.Layers) > 1 && len(m.masks) < passes {
		m.masks = append(m.masks, m.masked(rnd))
	}
	return m, nil
}

// masked draws masks of 0 and 1/(1−r), in the form of mlp.Pass.
func (m *Model) masked(rnd *rand.Rand) [][]float64 {
	masks := make([][]float64, len(m.network.Layers))
	for l := 1; l < len(masks); l++ {
		masks[l] = make([]float64, m.cfg.Layers[l])
		for i := range masks[l] {
			if rnd.Float64() >= m.cfg.Rate {
				masks[l][i] = 1 / (1 - m.cfg.Rate)
			}
		}
	}
	return masks
}

// Predict sets p to the probabilities of the classes at x, the mean of softmax(z) over the passes.
func (m *Model) Predict(p, x []float64) error {
	mlp.CheckProbabilities(p, m.network.Outputs())
	clear(p)
	for _, m.pass.Mask = range m.masks {
		if err := m.network.Logits(m.pass, m.weights, x); err != nil {
			return err
		}
		mlp.Normalise(m.pass.Logit)
		floats.AddScaled(p, 1/float64(len(m.masks)), m.pass.Logit)
	}
	return nil
}
