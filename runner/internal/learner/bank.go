package learner

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"closedform/core/bnn"
	"closedform/core/readout"
	"closedform/internal/field"
)

// learner returns the output layer, or the network, the ensemble or the bank of the configuration with its prior weights.
func (m Model) learner(inputs, classes int, src rand.Source) (*Network, error) {
	m, err := m.For(inputs, classes)
	if err != nil {
		return nil, err
	}
	l := new(Network)
	switch {
	case m.Readout != "":
		l.Model, err = readout.New(readout.Config{Kind: m.Readout, Inputs: inputs, Classes: classes})
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
	return m.noisy(l), nil
}

// noisy adds the process noise.
func (m *Model) noisy(l *Network) *Network {
	if m.ProcessNoise > 0 {
		l.SetProcessNoise(m.ProcessNoise, slices.ContainsFunc(l.Members(), func(m *bnn.Network) bool {
			return slices.Contains(m.Config().Covariance, bnn.Full)
		}))
	}
	return l
}

// checkMembers returns an error for an ensemble of output layers that are all the same.
func (m *Method) checkMembers() error {
	if m.Model.Readout != "" && m.Model.Members > 1 && m.Features.Kind == "" {
		return field.Errorf("members", "%d is not allowed with output = %q; allowed: 1, or more with features, as nothing else is random", m.Model.Members, m.Model.Readout)
	}
	return nil
}

// mixed returns an ensemble of output layers as a bank of candidates that differ in their random streams only,
// and other methods as they are.
func (m Method) mixed() Method {
	if m.Model.Readout != "" && m.Model.Members > 1 && m.Weights == "" {
		m.Tuning = Tuning{
			Tune: []string{"members"}, Candidates: slices.Repeat([]Candidate{{1.0}}, m.Model.Members), Weighing: bnn.Weighing{Weights: bnn.Equal},
		}
	}
	return m
}

// ownFeatures reports whether each candidate of a bank has a map of its own to features, and not all the same: if they
// differ in the features, or output layers are among them.
func (m *Method) ownFeatures() bool {
	return m.ClosedForm() && m.Weights != "" && (m.Model.Readout != "" || m.reshaped())
}

// bank returns the network in which all candidates learn, random as members of an ensemble.
func (m *Method) bank(inputs, classes int, src rand.Source) (*Network, error) {
	var names []string
	members, err := newMembers(len(m.Candidates), src, func(src rand.Source) (bnn.Model, error) {
		candidate := m.Candidates[len(names)]
		names = append(names, m.describe(candidate))
		with, err := m.with(candidate)
		if err != nil {
			return nil, err
		}
		if !m.ownFeatures() {
			with.Features = Features{} // the bank has them
		}
		with.Model.Members, with.Tuning = max(1, with.Model.Members), Tuning{} // not a bank of default banks
		one, err := with.Learner(inputs, classes, src)
		if err != nil {
			return nil, err
		}
		return one.Model(), nil
	})
	if err != nil {
		return nil, err
	}
	bank, err := bnn.NewBank(m.Weighing, members...)
	if err != nil {
		return nil, err
	}
	return m.Model.noisy(&Network{Model: bank, names: names, first: m.First}), nil
}
