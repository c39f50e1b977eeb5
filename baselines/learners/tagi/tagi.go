// Package tagi is tractable approximate Gaussian inference (Goulet, Nguyen and Amiri, "Tractable approximate
// Gaussian inference for Bayesian neural networks", Journal of Machine Learning Research 2021) for
// classification: a multi-layer perceptron of rectifiers whose weights and hidden units are independent
// Gaussians, learning one example after another.
//
// The labels are Gaussian targets. The classes are the leaves of a binary tree whose nodes have an output z ~
// N(m, v). A label observes y = ±1 at the nodes on its path, y = z + ε, ε ~ N(0, σ_V²): m̃ = m + v (y − m)/(v
// + σ_V²), ṽ = v − v²/(v + σ_V²). The Rauch–Tung–Striebel smoother propagates the update back, layer by
// layer. The probability of a class is the product over the nodes on its path of P(±1) = Φ(±m/√(v + σ_P²)),
// divided by the sum of these products over all classes, with σ_P = 1/3 as in the authors' program.
package tagi

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/mlp"
	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/internal/field"
)

// Model is a network and its training state.
type Model struct {
	inputs  int
	classes int
	network *bnn.Network // a network of diagonal layers with the hidden rule Smooth
	tree    *tree
	one     bnn.Prediction
}

// New returns a network with layers as [mlp.Start] has them and prior weights. It draws their means from src.
func New(cfg Config, layers []int, src rand.Source) (*Model, error) {
	_, rnd, err := mlp.Start(layers, &cfg, src)
	if err != nil {
		return nil, err
	}
	last := len(layers) - 1
	m := &Model{inputs: layers[0], classes: layers[last], tree: newTree(layers[last], cfg.SigmaV)}
	layers = slices.Clone(layers)
	layers[last] = max(2, m.tree.nodes) // for two classes the tree has one node, and one output is not used
	c := bnn.Default(layers...)
	c.Hidden, c.PriorDraw = bnn.Smooth, bnn.Independent
	c.SetCovariance(bnn.Diagonal)
	for l := range c.PriorVar {
		c.PriorVar[l], c.Replications[l] = cfg.PriorVar/float64(layers[l]+1), 1
	}
	means := make([]*mat.Dense, last)
	for l := range means {
		out, in := c.WeightDims(l)
		means[l] = mat.NewDense(out, in, nil)
		if l == last-1 {
			out = m.tree.nodes
		}
		sd := math.Sqrt(cfg.PriorMeanVar / float64(in))
		for k := range in * out {
			means[l].Set(k%out, k/out, sd*random.Normal(rnd))
		}
	}
	// The draws of bnn.New are replaced, but the next member of an ensemble draws after them.
	m.network, err = bnn.New(c, src)
	for l := 0; l < len(means) && err == nil; l++ {
		_, cov := m.network.Weights(l)
		err = m.network.SetWeights(l, means[l], cov)
	}
	return m, err
}

// Observe updates the weights by one example of the given class (from 0). It allocates nothing.
func (m *Model) Observe(x []float64, class int) error {
	err := cmp.Or(field.Class(class, m.classes), field.Input(x, m.inputs))
	if err == nil {
		err = m.network.Condition(x, func(d, e []float64, outputs bnn.Layer) {
			m.tree.observe(d, e, outputs, class)
		})
	}
	return err
}

// Predict sets p to the predictive probabilities of the classes at x.
func (m *Model) Predict(p, x []float64) error { return m.predict(&m.one, p, x) }

// PredictAll is Predict for each x_i, and returns the layers of each. After an error some p_i are set.
func (m *Model) PredictAll(p, x [][]float64) (layers [][]bnn.Layer, err error) {
	for i := range x {
		var prediction bnn.Prediction
		if err := m.predict(&prediction, p[i], x[i]); err != nil {
			return nil, err
		}
		layers = append(layers, prediction.Layers)
	}
	return layers, nil
}

func (m *Model) predict(dst *bnn.Prediction, p, x []float64) error {
	mlp.CheckProbabilities(p, m.classes)
	if err := cmp.Or(field.Input(x, m.inputs), m.network.Predict(dst, x)); err != nil {
		return err
	}
	if !m.tree.predict(p, dst.Layers[len(dst.Layers)-1]) {
		return errors.New("tagi: the probabilities of the classes overflow")
	}
	return nil
}

// Config describes a network. The zero value of every field is its documented default.
type Config struct {
	SigmaV float64 `toml:"sigma_v" default:"1" range:"0 1e100"` // standard deviation of the noise of the targets

	// PriorVar is the prior variance of a weight, divided by the inputs of its layer with the bias.
	PriorVar float64 `toml:"prior_var" default:"1" range:"0 1e100"`
	// PriorMeanVar is the variance of random prior means, divided by the inputs of the layer.
	PriorMeanVar float64 `toml:"prior_mean_var" default:"1" range:"0 1e100"`
}
