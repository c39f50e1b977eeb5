// Package dropout is Monte Carlo dropout: a multi-layer perceptron of rectifiers that is trained with units
// left out at random, and predicts by the mean of passes with units left out at random (Gal and Ghahramani,
// "Dropout as a Bayesian approximation: representing model uncertainty in deep learning", ICML 2016). For
// each example, a hidden unit is left out with probability r, and otherwise multiplied by 1/(1−r). Adam runs
// over minibatches of 32 examples down the loss −(1/N) Σ_k log softmax_{c_k}(z(x_k)) + ½ Decay |w|².
package dropout

import (
	"errors"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/learners/mlp"
	"closedform/internal/kernel"
)

// Config describes a network and its training.
type Config struct {
	Rate   float64 `toml:"rate" default:"0.2" range:"0 0.9999"`   // probability of leaving out a unit
	Decay  float64 `toml:"decay" default:"0.001" range:"0 1e100"` // weight decay, of biases, too
	Step   float64 `toml:"step" default:"0.01" range:"1e-12 1e6"` // first step of Adam, falls linearly to zero
	Epochs int     `toml:"epochs" default:"100" range:"1 100000"` // passes over the examples
}

const (
	batchSize = 32
	passes    = 100 // forward passes that a prediction averages
)

// Model is a trained network.
type Model struct {
	cfg     Config
	network *mlp.Network
	weights []float64
	pass    *mlp.Pass
	masks   [][][]float64 // a mask for each pass of a prediction, see [mlp.Pass]
}

// Fit returns a network with layers as [mlp.Start] has them, trained on the examples x[k] with classes
// class[k], from 0. Then it draws the masks of predictions from src. It fails if the training diverges.
func Fit(cfg Config, layers []int, x [][]float64, class []int, src rand.Source) (*Model, error) {
	network, rnd, err := mlp.Start(layers, &cfg, src)
	if err != nil {
		return nil, err
	}
	data, err := network.Examples(x, class)
	if err != nil {
		return nil, err
	}
	m := &Model{cfg: cfg, network: network, pass: network.NewPass()}
	m.weights = make([]float64, network.Weights())
	network.Initialise(m.weights, rnd)
	m.train(data, class, rnd)
	if !kernel.Finite(m.weights...) {
		return nil, errors.New("dropout: the training diverged; need a smaller step or smaller inputs")
	}
	for len(m.masks) == 0 || len(network.Layers) > 1 && len(m.masks) < passes {
		mask := m.newMask()
		m.draw(mask, rnd)
		m.masks = append(m.masks, mask)
	}
	return m, nil
}

func (m *Model) train(data [][]float64, class []int, rnd *rand.Rand) {
	adam, grad, p := mlp.NewAdam(len(m.weights)), make([]float64, len(m.weights)), m.pass
	p.Mask = m.newMask()
	order := make([]int, len(data))
	for i := range order {
		order[i] = i
	}
	steps, step := m.cfg.Epochs*((len(data)+batchSize-1)/batchSize), 0
	for range m.cfg.Epochs {
		rnd.Shuffle(len(data), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for batch := range slices.Chunk(order, batchSize) {
			floats.ScaleTo(grad, m.cfg.Decay, m.weights)
			for _, k := range batch {
				m.draw(p.Mask, rnd)
				m.network.Forward(p, m.weights, data[k])
				p.SetScore(class[k])
				floats.Scale(1/float64(len(batch)), p.Score)
				m.network.Backward(p, grad, m.weights)
			}
			adam.Begin(m.cfg.Step * (1 - float64(step)/float64(steps)))
			adam.Move(0, m.weights, grad)
			step++
		}
	}
}

func (m *Model) newMask() [][]float64 {
	mask := make([][]float64, len(m.network.Layers))
	for l := 1; l < len(mask); l++ {
		mask[l] = make([]float64, m.network.Layers[l-1].Out)
	}
	return mask
}

func (m *Model) draw(mask [][]float64, rnd *rand.Rand) {
	stays := 1 / (1 - m.cfg.Rate)
	for _, mask := range mask {
		for i := range mask {
			mask[i] = kernel.Unless(rnd.Float64()-m.cfg.Rate, stays)
		}
	}
}

// Predict sets p to the probabilities of the classes at x, the mean of softmax(z) over the passes.
func (m *Model) Predict(p, x []float64) error {
	mlp.CheckProbabilities(p, m.network.Outputs())
	clear(p)
	if err := m.network.Logits(m.pass, m.weights, x); err != nil {
		return err
	}
	for _, m.pass.Mask = range m.masks {
		if err := m.network.Again(m.pass, m.weights); err != nil {
			return err
		}
		mlp.Normalise(m.pass.Logit)
		kernel.AddScaled(p, 1/float64(len(m.masks)), m.pass.Logit)
	}
	return nil
}
