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
	config:  func() any { return &network{Model: DefaultModel()} },
	resolve: func(any) {},
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

// For returns a closed-form method with the layers for so many inputs and classes, and its model.
// [Method.Fits] has checked that they fit.
func (m Method) For(inputs, classes int) (Method, *Model) {
	config := *m.Config.(*network)
	config.Model, _ = config.For(m.seen(inputs), classes)
	m.HiddenLayers, m.Config = nil, &config
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
	if m.Readout != "" {
		l, err := readout.New(readout.Config{Kind: m.Readout, Inputs: layers[0], Classes: layers[len(layers)-1]})
		return &Network{Model: l}, err
	}
	if !m.hasBank() {
		e, err := m.Mixture(src)
		if err != nil {
			return nil, err
		}
		return n.noisy(&Network{Model: e}), nil
	}
	cfg, err := m.network()
	if err != nil {
		return nil, err
	}
	bank, err := bnn.NewDefaultBank(cfg, src)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, one := range bank.Members() {
		c := one.Config()
		names = append(names, fmt.Sprintf("layers=%v prior_var=%.2g", c.Layers, c.PriorVar))
	}
	return n.noisy(&Network{Model: bank, names: names}), nil
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

// bank returns the network in which all candidates learn, random as members of an ensemble.
func (m *Method) bank(layers []int, src rand.Source) (*Network, error) {
	var names []string
	members, err := Members(len(m.Candidates), src, func(src rand.Source) (bnn.Model, error) {
		candidate := m.Candidates[len(names)]
		names = append(names, m.describe(candidate))
		with, err := m.with(candidate)
		if err != nil {
			return nil, err
		}
		n := with.Config.(*network)
		n.Members = max(1, n.Members) // not a bank of banks
		one, err := n.learner(layers, src)
		if err != nil {
			return nil, err
		}
		return one.Model, nil
	})
	if err != nil {
		return nil, err
	}
	bank, err := bnn.NewBank(m.Weighing, members...)
	if err != nil {
		return nil, err
	}
	return m.Config.(*network).noisy(&Network{Model: bank, names: names, first: m.First}), nil
}
