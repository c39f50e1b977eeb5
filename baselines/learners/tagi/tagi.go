// Package tagi is tractable approximate Gaussian inference (Goulet, Nguyen and Amiri, "Tractable
// approximate Gaussian inference for Bayesian neural networks", Journal of Machine Learning
// Research 2021) for classification: a multi-layer perceptron of rectifiers, all of whose weights
// and hidden units are independent Gaussians, learning one example after another.
//
// Moments go forward in closed form, weights and units being independent. The labels are Gaussian
// targets: the classes are the leaves of a binary tree, each node has an output z ~ N(m, v), and a
// label says y = ±1 at the nodes on its way, y = z + ε, ε ~ N(0, σ_V²),
//
//	m̃ = m + v (y − m)/(v + σ_V²),   ṽ = v − v²/(v + σ_V²),
//
// and nothing at the other nodes. The Rauch–Tung–Striebel smoother propagates the update back, layer
// by layer, with the moments before the step. The probability of a class is the product over the nodes
// on its way of
//
//	P(±1) = Φ(±m/√(v + σ_P²)),
//
// with σ_P = 1/3 as in the authors' program. The products are divided by their sum over all classes.
// The authors' later programs have another head, remax.
package tagi

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/mlp"
	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/internal/field"
)

// Model is a network and what it has learnt.
type Model struct {
	cfg     Config
	network *bnn.Network // with diagonal layers and the hidden rule Smooth
	layers  []bnn.Layer
	head    head

	several []bnn.Prediction // of PredictAll
}

// head is what labels and probabilities of the classes have to do with the outputs.
type head interface {
	outputs() int // their number

	// observe sets (m̃ − m)/v and (ṽ − v)/v² of the outputs to what a label says of them.
	observe(d, e []float64, outputs bnn.Layer, class int)

	// predict sets p to the probabilities of the classes. It reports whether they do not overflow.
	predict(p []float64, outputs bnn.Layer) bool
}

// New returns a network with its prior weights, whose means are drawn from src.
func New(cfg Config, src rand.Source) (*Model, error) {
	_, rnd, err := mlp.Start(cfg.Layers, cfg, src)
	if err != nil {
		return nil, fmt.Errorf("tagi: %w", err)
	}
	cfg = cfg.WithDefaults()
	m := &Model{cfg: cfg}
	if cfg.Head == Remax {
		m.head = newRemax(cfg.classes(), cfg.SigmaV)
	} else {
		m.head = newTree(cfg.classes(), cfg.SigmaV)
	}
	layers := slices.Clone(cfg.Layers)
	layers[len(layers)-1] = max(2, m.head.outputs()) // the tree of two classes has one, and one without labels
	c := bnn.Default(layers...)
	c.Hidden, c.PriorDraw = bnn.Smooth, bnn.Independent
	c.SetCovariance(bnn.Diagonal)
	for l := range c.PriorVar {
		c.PriorVar[l], c.Replications[l] = cfg.PriorVar/float64(layers[l]+1), 1
	}
	means := make([]*mat.Dense, len(layers)-1)
	for l := range means {
		out, in := c.WeightDims(l)
		means[l] = mat.NewDense(out, in, nil)
		if l == len(means)-1 {
			out = m.head.outputs()
		}
		sd := math.Sqrt(cfg.PriorMeanVar / float64(in))
		for k := range in * out {
			means[l].Set(k%out, k/out, sd*random.Normal(rnd))
		}
	}
	// The draws of bnn.New are replaced, but the next member of an ensemble goes on with src after them.
	if m.network, err = bnn.New(c, src); err != nil {
		return nil, fmt.Errorf("tagi: %w", err)
	}
	for l, mean := range means {
		_, cov := m.network.Weights(l)
		if err := m.network.SetWeights(l, mean, cov); err != nil {
			return nil, fmt.Errorf("tagi: %w", err)
		}
	}
	return m, m.forward(make([]float64, layers[0]))
}

// Layers returns what the layers have made of the input of the last Predict or Observe.
func (m *Model) Layers() []bnn.Layer { return m.layers }

// forward sets the layers for x.
func (m *Model) forward(x []float64) (err error) {
	mlp.CheckLength(x, m.cfg.Layers[0])
	if m.layers, err = m.network.Forward(x); err != nil {
		err = fmt.Errorf("tagi: %w", err)
	}
	return err
}

// Observe updates the weights by one example of the given class (from 0). It allocates nothing.
func (m *Model) Observe(x []float64, class int) error {
	mlp.CheckLength(x, m.cfg.Layers[0])
	if err := mlp.CheckClass(class, m.cfg.classes()); err != nil {
		return fmt.Errorf("tagi: %w", err)
	}
	_, err := m.network.Condition(x, func(d, e []float64, outputs bnn.Layer) { m.head.observe(d, e, outputs, class) })
	if err != nil {
		return fmt.Errorf("tagi: %w", err)
	}
	return nil
}

// Predict sets p to the predictive probabilities of the classes at x.
func (m *Model) Predict(p, x []float64) error {
	mlp.CheckProbabilities(p, m.cfg.classes())
	if err := m.forward(x); err != nil {
		return err
	}
	if !m.head.predict(p, m.layers[len(m.layers)-1]) {
		return errors.New("tagi: the probabilities of the classes overflow")
	}
	return nil
}

// PredictAll sets p_i to what Predict sets p to at x_i, for all inputs, to the bit, and returns what the
// layers have made of each, valid until the next call. It reads the weights once for all of them. If
// there is an error at one input it may have set none.
func (m *Model) PredictAll(p, x [][]float64) (layers [][]bnn.Layer, err error) {
	for i := range x {
		mlp.CheckProbabilities(p[i], m.cfg.classes())
		mlp.CheckLength(x[i], m.cfg.Layers[0])
	}
	if missing := len(x) - len(m.several); missing > 0 {
		m.several = append(m.several, make([]bnn.Prediction, missing)...)
	}
	if _, err := m.network.PredictAll(m.several[:len(x)], x); err != nil {
		return nil, fmt.Errorf("tagi: %w", err)
	}
	for i := range x {
		of := m.several[i].Layers
		if !m.head.predict(p[i], of[len(of)-1]) {
			return nil, errors.New("tagi: the probabilities of the classes overflow")
		}
		layers = append(layers, of)
	}
	return layers, nil
}

// Head says how labels are told to the outputs.
type Head string

const (
	// Tree has an output for each node of a binary tree of the classes: the paper, Sec. 4.
	Tree Head = "tree"

	// Remax has an output for each class, see [remax].
	Remax Head = "remax"
)

// Config describes a network. The zero value of every field but Layers is its documented default.
type Config struct {
	Layers []int   `toml:"-"`       // as for mlp.CheckLayers; every layer has a bias
	Head   Head    `toml:"head"`    // Tree if empty
	SigmaV float64 `toml:"sigma_v"` // deviation of the noise of the targets, ±1, or 0 and 1; zero stands for 1

	// PriorVar and PriorMeanVar are the prior variance of every weight and the
	// variance of what its prior mean is drawn from, both times the number of inputs
	// of its layer, the bias among them; zero stands for 1.
	PriorVar     float64 `toml:"prior_var"`
	PriorMeanVar float64 `toml:"prior_mean_var"`

	// Members is the number of networks of an ensemble, of which New makes one; zero stands for 1.
	Members int `toml:"members,omitempty" json:",omitempty"`
}

// WithDefaults returns the configuration with its defaults filled in.
func (c Config) WithDefaults() Config {
	c.Layers, c.Head = slices.Clone(c.Layers), cmp.Or(c.Head, Tree)
	c.SigmaV = cmp.Or(c.SigmaV, 1)
	c.PriorVar, c.PriorMeanVar = cmp.Or(c.PriorVar, 1), cmp.Or(c.PriorMeanVar, 1)
	return c
}

// Validate returns an error of package field if a value is not allowed. It doesn't look at Layers.
func (c Config) Validate() error {
	c = c.WithDefaults()
	const most = 1e100 // squares of it do not overflow
	return cmp.Or(
		field.OneOf("head", c.Head, Tree, Remax),
		field.Within("sigma_v", c.SigmaV, 0, most),
		field.Within("prior_var", c.PriorVar, 0, most),
		field.Within("prior_mean_var", c.PriorMeanVar, 0, most),
	)
}

func (c *Config) classes() int { return c.Layers[len(c.Layers)-1] }
