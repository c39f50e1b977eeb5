package methods

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"closedform/baselines/bayesbackprop"
	"closedform/baselines/classgaussian"
	"closedform/baselines/dropout"
	"closedform/baselines/kalman"
	"closedform/baselines/laplace"
	"closedform/baselines/majority"
	"closedform/baselines/neighbours"
	"closedform/baselines/sgd"
	"closedform/baselines/tagi"
	"closedform/baselines/variational"
	"closedform/core/bnn"
	"closedform/core/field"
	"closedform/runner/internal/learner"
)

// kind is a kind of method.
type kind struct {
	online  bool // it sees one example after another
	layers  bool // it can have hidden layers
	config  func() any
	resolve func(config any) // fills its defaults in
	learner func(config any, layers []int, src rand.Source) (learner.Learner, error)
}

// online is a kind of which the configuration begins as c.
func online[C any](c C, layers bool, make func(c C, layers []int, src rand.Source) (learner.Learner, error)) kind {
	return kind{
		online: true, layers: layers,
		config:  func() any { c := c; return &c },
		resolve: resolve[C],
		learner: func(c any, layers []int, src rand.Source) (learner.Learner, error) { return make(*c.(*C), layers, src) },
	}
}

// batch is a kind that is fitted to all examples at once.
func batch[C any](c C, layers bool, fit func(c C, layers []int, x [][]float64, class []int, src rand.Source) (learner.Predictor, error)) kind {
	return kind{
		layers:  layers,
		config:  func() any { c := c; return &c },
		resolve: resolve[C],
		learner: func(c any, layers []int, src rand.Source) (learner.Learner, error) {
			return &learner.Batch{Fit: func(x [][]float64, class []int) (learner.Predictor, error) {
				return fit(*c.(*C), layers, x, class, src)
			}}, nil
		},
	}
}

// resolve fills the defaults of the configuration in that c points to, if its type has such.
func resolve[C any](c any) {
	config := c.(*C)
	if d, ok := any(*config).(interface{ WithDefaults() C }); ok {
		*config = d.WithDefaults()
	}
}

// kinds are all kinds of methods by their words.
var kinds = map[string]kind{
	"closed-form": online(defaultNetwork(), true, network.learner),
	"kalman": online(kalman.Config{}, true, func(c kalman.Config, layers []int, src rand.Source) (learner.Learner, error) {
		c.Layers = layers
		return kalman.New(c, src)
	}),
	"tagi": online(tagis{Config: tagi.Config{Unit: tagi.Mixture}}, true, tagis.learner),
	"sgd": online(sgd.Config{}, true, func(c sgd.Config, layers []int, src rand.Source) (learner.Learner, error) {
		c.Layers = layers
		return sgd.New(c, src)
	}),
	"majority": online(majority.Config{}, false, func(c majority.Config, layers []int, src rand.Source) (learner.Learner, error) {
		c.Classes = layers[1]
		return majority.New(c, src)
	}),
	"class-gaussian": online(classgaussian.Config{}, false, newClassGaussian),
	"laplace": batch(laplace.Config{}, true, func(c laplace.Config, layers []int, x [][]float64, class []int, src rand.Source) (learner.Predictor, error) {
		c.Layers = layers
		return laplace.Fit(c, x, class, src)
	}),
	"variational": batch(variational.Config{}, false, func(c variational.Config, layers []int, x [][]float64, class []int, src rand.Source) (learner.Predictor, error) {
		c.Inputs, c.Classes = layers[0], layers[1]
		return variational.Fit(c, x, class, src)
	}),
	"backprop": batch(bayesbackprop.Config{}, true, func(c bayesbackprop.Config, layers []int, x [][]float64, class []int, src rand.Source) (learner.Predictor, error) {
		c.Layers = layers
		return bayesbackprop.Fit(c, x, class, src)
	}),
	"dropout": batch(dropout.Config{}, true, func(c dropout.Config, layers []int, x [][]float64, class []int, src rand.Source) (learner.Predictor, error) {
		c.Layers = layers
		return dropout.Fit(c, x, class, src)
	}),
	"neighbours": batch(neighbours.Config{}, false, func(c neighbours.Config, layers []int, x [][]float64, class []int, src rand.Source) (learner.Predictor, error) {
		c.Classes = layers[1]
		return neighbours.Fit(c, x, class, src)
	}),
}

func newClassGaussian(c classgaussian.Config, layers []int, src rand.Source) (learner.Learner, error) {
	c.Inputs, c.Classes = layers[0], layers[1]
	return classgaussian.New(c, src)
}

// network is the closed-form network; with process noise it forgets.
type network struct {
	learner.Model
	ProcessNoise float64 `toml:"process_noise"` // variance that a weight gains before each example, a fraction of its prior's
}

// OfVariant returns the network of a variant as a method.
func OfVariant(v learner.Variant, t Tuning) Method {
	return Method{Name: v.Name, Kind: "closed-form", Tuning: t, Config: &network{Model: v.Model}}
}

func defaultNetwork() network {
	return network{Model: learner.DefaultModel()}
}

// Validate reports what is not allowed.
func (n *network) Validate() error {
	if n.RandomFeatures && n.ProcessNoise != 0 {
		return field.Errorf("random_features", "process noise would make the features uncertain; allowed: without process_noise")
	}
	if err := field.Within("process_noise", n.ProcessNoise, 0, 1); err != nil {
		return err
	}
	return n.Model.Validate()
}

func (n network) learner(layers []int, src rand.Source) (learner.Learner, error) {
	m, err := n.For(layers[0], layers[len(layers)-1])
	if err != nil {
		return nil, err
	}
	e, err := m.Mixture(src)
	if err != nil {
		return nil, err
	}
	l := &learner.Network{Ensemble: e}
	l.SetProcessNoise(n.ProcessNoise, slices.Contains(m.Config.WithDefaults().Covariance, bnn.Full))
	return l, nil
}

// tagis is an ensemble of TAGI's networks, or one.
type tagis struct {
	tagi.Config
	Ensemble int `toml:"ensemble,omitempty" json:",omitempty"` // see [learner.Model]
}

// WithDefaults returns the configuration with its defaults filled in.
func (c tagis) WithDefaults() tagis {
	c.Config = c.Config.WithDefaults()
	return c
}

// Validate reports what is not allowed.
func (c tagis) Validate() error {
	return cmp.Or(learner.CheckEnsemble(c.Ensemble), c.Config.Validate())
}

func (c tagis) learner(layers []int, src rand.Source) (learner.Learner, error) {
	c.Layers = layers
	return learner.NewEnsemble(c.Ensemble, src, func(src rand.Source) (learner.Learner, error) { return tagi.New(c.Config, src) })
}
