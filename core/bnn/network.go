// Package bnn has Bayesian neural networks that learn one example after another in closed form, without
// gradient descent (Yang and Yang 2023, arXiv 2301.13401).
//
// The weights w_j of a neuron are normal with mean μ_j and covariance Σ_j. For inputs with means ŷ and
// variances s the pre-activation z_j = w_jᵀ(y, 1) is approximated as normal. An example of class c changes
// the moments of the weights to those of the posterior. With the moments m_j, v_j of logit z_j, given the
// class m̃_j, ṽ_j,
//
//	p(c|z) = softmax(z)_c,   μ_j += Σ_jŷ (m̃_j − m_j)/v_j,   Σ_j += Σ_jŷ(Σ_jŷ)ᵀ (ṽ_j − v_j)/v_j².
//
// Hidden layers learn by smoothing the logits back, see [HiddenRule]. A first program:
//
//	n, err := bnn.New(bnn.Default(2, 20, 3), random.Source("my network"))
//	update, err := n.Observe([]float64{0.5, 1.5}, 0) // one example of class 0
//	var p bnn.Prediction
//	err = n.Predict(&p, []float64{-1, 0.3})
//	fmt.Println(p.P, p.Cov)
//
// A [Model] is a [Network] or an [Ensemble] of networks; packages core/readout, core/features and
// core/mixture have others. Package core/classifier has a model with nothing to choose.
package bnn

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Predictor predicts the labels of inputs.
type Predictor interface {
	Predict(dst *Prediction, x []float64) error // sets dst to the prediction for x
	Shape() (inputs, classes int)
}

// Model is a [Network], an [Ensemble], a readout.Layer, a features.Model, or a mixture.Mixture of models. Its
// Predict predicts the next example of the stream.
type Model interface {
	Predictor
	Observe(x []float64, class int) (Update, error) // learns an example of a class, from 0
	AddClass() error                                // see [Network.AddClass]

	// Snapshot returns what the model has learned so far, for inputs in whatever order. It copies what it
	// needs, does not change, and is safe for concurrent use, each call of Predict with its own Prediction.
	Snapshot() Predictor
}

// Sequential is a model whose Before predicts as Predict does, makes the next Observe of the same input
// faster, and is not safe for concurrent use.
type Sequential interface {
	Before(dst *Prediction, x []float64) error
}

// Before predicts the next example of the stream by the Before of a [Sequential] model, else by Predict.
func Before(m Model, dst *Prediction, x []float64) error {
	if s, ok := m.(Sequential); ok {
		return s.Before(dst, x)
	}
	return m.Predict(dst, x)
}

// LeftOut is a predictor that predicts a learned example as if it had not learned it.
type LeftOut interface {
	PredictLeftOut(dst *Prediction, x []float64, class int) error
}

// Network is a Bayesian multi-layer perceptron. Predict, Weights, State and Config are safe for concurrent
// use, each call with its own Prediction; the other methods are not.
type Network struct {
	cfg     Config
	layers  []weights
	flows   []flow     // forward pass and steps of Observe, by layer
	current bool       // whether flows is a forward pass with the present weights
	learned int        // number of examples that have moved the weights
	step    outputStep // scratch space of Observe
}

// New returns a network with prior weights; src draws their means. An error names the invalid field of cfg.
func New(cfg Config, src rand.Source) (*Network, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("bnn: %w", err)
	}
	if src == nil {
		return nil, errors.New(`bnn: no source of random numbers; need one such as random.Source("my network")`)
	}
	n := zero(cfg)
	rnd := rand.New(src)
	for l, layer := range n.layers {
		layer.restore(LayerState{n.cfg.priorMean(l, rnd), n.cfg.priorSpread(l)})
	}
	return n, nil
}

// Config returns a copy of the configuration.
func (n *Network) Config() Config { return n.cfg.clone() }

// Shape implements [Model].
func (n *Network) Shape() (inputs, classes int) { return n.cfg.Layers[0], n.cfg.classes() }

// Snapshot implements [Model] by a copy.
func (n *Network) Snapshot() Predictor {
	s := zero(n.cfg)
	for l, w := range n.layers {
		for k, numbers := range w.numbers() {
			copy(s.layers[l].numbers()[k], numbers)
		}
	}
	return s
}

func zero(cfg Config) *Network {
	cfg = cfg.clone()
	cfg.replicate()
	n := &Network{cfg: cfg}
	for l := range cfg.Layers[1:] {
		n.layers = append(n.layers, cfg.newWeights(l))
	}
	n.flows, n.step = n.newFlows(), newOutputStep(&n.cfg)
	return n
}

// SetWeights replaces the weights of layer l (from 0), w_j ~ N(μ_j, Σ_j), by copies. Row j of mean is μ_j,
// neurons × inputs; cov has a Σ_j for each neuron, inputs × inputs; the bias is the last input. It panics if
// a shape does not fit. If numbers are not finite, or covariances not positive semi-definite or not of the
// layer's form, it returns an error and leaves the layer unchanged.
func (n *Network) SetWeights(l int, mean *mat.Dense, cov []mat.Symmetric) error {
	out, in := n.cfg.WeightDims(l)
	r, c := mean.Dims()
	misfit := func(s mat.Symmetric) bool { return s.SymmetricDim() != in }
	if r != out || c != in || len(cov) != out || slices.ContainsFunc(cov, misfit) {
		panic(fmt.Sprintf("bnn: %d×%d means and %d covariances for layer %d; need %d×%d, and %[5]d of %d×%[6]d",
			r, c, len(cov), l, out, in))
	}
	spread, err := n.cfg.spreadOf(l, cov)
	s := LayerState{mean, spread}
	if err = cmp.Or(err, s.check(&n.cfg, l)); err != nil {
		return fmt.Errorf("bnn: layer %d: %w", l, err)
	}
	n.layers[l].restore(s)
	n.current = false
	return nil
}

// Weights returns copies of the weights of layer l in the shapes of SetWeights; diagonals are *mat.DiagDense.
func (n *Network) Weights(l int) (mean *mat.Dense, cov []mat.Symmetric) {
	s := n.layers[l].state()
	return s.Mean, n.cfg.covs(l, s.Spread)
}
