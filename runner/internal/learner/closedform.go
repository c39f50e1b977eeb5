package learner

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"closedform/core/bnn"
	"closedform/core/readout"
	"closedform/internal/field"
)

// network is the closed-form network; with process noise it forgets.
type network struct {
	Model
	ProcessNoise float64 `toml:"process_noise"` // variance that a weight gains before each example, a fraction of its prior's
}

// closedForm is the kind of the network, that of a method which has none.
const closedForm = "closed-form"

var networkKind = kind{
	online: true, layers: true,
	config: func() any { return &network{Model: DefaultModel()} },
	learner: func(c any, layers []int, src rand.Source) (Learner, error) {
		return c.(*network).learner(layers, src)
	},
}

// OfModel returns the network of a model as a method.
func OfModel(name string, m Model) Method {
	of := m.Features
	m.Features = Features{}
	return Method{Name: name, Kind: closedForm, Features: of, Config: &network{Model: m}}
}

// ClosedForm reports whether the method is the closed-form network.
func (m *Method) ClosedForm() bool {
	_, ours := m.Config.(*network)
	return ours
}

// For returns a closed-form method with the layers for so many inputs and classes, unless its candidates differ
// in these, and its model. [Method.Fits] has checked that they fit.
func (m Method) For(inputs, classes int) (Method, *Model) {
	config := *m.Config.(*network)
	if !m.reshaped() {
		config.Model, _ = config.For(m.seen(inputs), classes)
		m.HiddenLayers = nil
	}
	m.Config = &config
	model := config.Model
	return m, &model
}

// Validate reports what is not allowed.
func (n *network) Validate() error {
	if n.RandomFeatures && n.ProcessNoise != 0 {
		return field.Errorf("random_features", "process noise would make the features uncertain; allowed: without process_noise")
	}
	if n.Readout != "" && n.ProcessNoise != 0 {
		return field.Errorf("process_noise", "%g is not allowed with output = %q, which forgets nothing; allowed: 0", n.ProcessNoise, n.Readout)
	}
	if err := field.Within("process_noise", n.ProcessNoise, 0, 1); err != nil {
		return err
	}
	return n.Model.Validate()
}

// learner returns the output layer, or the network, the ensemble or the bank of the configuration with its prior weights.
func (n *network) learner(layers []int, src rand.Source) (*Network, error) {
	m, err := n.For(layers[0], layers[len(layers)-1])
	if err != nil {
		return nil, err
	}
	l := new(Network)
	switch {
	case m.Readout != "":
		l.Model, err = readout.New(readout.Config{Kind: m.Readout, Inputs: layers[0], Classes: layers[len(layers)-1]})
	case m.hasBank():
		var cfg bnn.Config
		if cfg, err = m.network(); err == nil {
			l.Model, err = bnn.NewDefaultBank(cfg, src)
		}
	default:
		l.Model, err = m.Mixture(src)
	}
	if err != nil {
		return nil, err
	}
	if bank, ok := l.Model.(*bnn.Bank); ok {
		for _, one := range bank.Members() {
			c := one.Config()
			l.names = append(l.names, fmt.Sprintf("layers=%v prior_var=%.2g", c.Layers, c.PriorVar))
		}
	}
	return n.noisy(l), nil
}

// noisy adds the process noise.
func (n *network) noisy(l *Network) *Network {
	if n.ProcessNoise > 0 {
		l.SetProcessNoise(n.ProcessNoise, slices.ContainsFunc(l.Members(), func(m *bnn.Network) bool {
			return slices.Contains(m.Config().Covariance, bnn.Full)
		}))
	}
	return l
}

// checkEnsemble returns an error for an ensemble of output layers that are all the same.
func (m *Method) checkEnsemble() error {
	if n, ours := m.Config.(*network); ours && n.Readout != "" && n.Members > 1 && m.Features.Kind == "" {
		return field.Errorf("members", "%d is not allowed with output = %q; allowed: 1, or more with features, as nothing else is random", n.Members, n.Readout)
	}
	return nil
}

// severalLayers reports whether the method is an ensemble of output layers, each with features of its own.
func (m *Method) severalLayers() bool {
	n, ours := m.Config.(*network)
	return ours && n.Readout != "" && n.Members > 1
}

// ensemble returns an ensemble of output layers, each with features of its own.
func (m Method) ensemble(inputs, classes int, src rand.Source) (*Network, error) {
	n := *m.Config.(*network)
	members := n.Members
	n.Members, m.Config = 1, &n
	all, err := Members(members, src, func(src rand.Source) (bnn.Model, error) {
		one, err := m.Learner(inputs, classes, src)
		if err != nil {
			return nil, err
		}
		return one.Model(), nil
	})
	if err != nil {
		return nil, err
	}
	e, err := bnn.Combine(all...)
	return &Network{Model: e}, err
}

// OutputLayer reports whether the method is one output layer in place of a network.
func (m *Method) OutputLayer() bool {
	n, ours := m.Config.(*network)
	return ours && n.Readout != "" && n.Members <= 1
}
