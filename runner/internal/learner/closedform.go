package learner

import (
	"math/rand/v2"
	"slices"

	"closedform/core/bnn"
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
	return Method{Name: name, Kind: closedForm, Config: &network{Model: m}}
}

// ClosedForm reports whether the method is the closed-form network.
func (m *Method) ClosedForm() bool { return m.Kind == closedForm }

// Network returns the network of a closed-form method.
func (m *Method) Network() Named {
	return Named{Name: m.Name, Model: m.Config.(*network).Model}
}

// At returns a closed-form method at a place of a sweep.
func (m Method) At(place Named) Method {
	config := *m.Config.(*network)
	config.Model = place.Model
	m.Name, m.HiddenLayers, m.Config = place.Name, nil, &config
	return m
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

func (n *network) learner(layers []int, src rand.Source) (Learner, error) {
	m, err := n.For(layers[0], layers[len(layers)-1])
	if err != nil {
		return nil, err
	}
	if !m.HasBank() {
		e, err := m.Mixture(src)
		if err != nil {
			return nil, err
		}
		return n.forgetting(e), nil
	}
	bank, names, err := m.Bank(src)
	if err != nil {
		return nil, err
	}
	var members []Learner
	for _, one := range bank.Members() {
		e, err := bnn.Combine(one)
		if err != nil {
			return nil, err
		}
		members = append(members, n.forgetting(e))
	}
	return NewBank(Weighing{Weighing: bank.State().Weighing}, layers[len(layers)-1], names, members)
}

// forgetting returns the networks as a learner with process noise.
func (n *network) forgetting(e *bnn.Ensemble) *Network {
	l := &Network{Ensemble: e}
	l.SetProcessNoise(n.ProcessNoise, slices.Contains(e.Members()[0].Config().Covariance, bnn.Full))
	return l
}
