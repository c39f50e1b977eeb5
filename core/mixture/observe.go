package mixture

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
)

// Observe updates all members by an example of the given class (from 0), and then the weights of the stream
// by the probabilities that the members gave the class before. The update is that of [bnn.MixUpdates] over
// the members that learned the example; its LogP is that of the mixture before calibration. If all members
// fail, Observe changes nothing and returns the first error.
func (m *Mixture) Observe(x []float64, class int) (bnn.Update, error) {
	if err := m.check(x, class); err != nil {
		return bnn.Update{Action: bnn.Refused}, err
	}
	m.x, m.class = x, class
	m.calibrates = !m.state.Fixed && (m.state.Seen < 1000 || m.state.Seen%8 == 0)
	copy(m.before.Weights, m.stream.members.weight)
	m.each((*Mixture).learn)
	if !slices.Contains(m.errs, nil) {
		return m.updates[0], fmt.Errorf("member 0: %w", m.errs[0])
	}
	m.snapshot = nil
	for k, err := range m.errs {
		if err != nil {
			m.updates[k] = bnn.Update{LogP: math.Inf(-1)}
		}
		m.logP[k] = m.updates[k].LogP
	}
	u := bnn.MixUpdates(m.stream.members.weight, m.updates)
	if !m.state.Fixed {
		m.weigh()
	}
	return u, nil
}

// learn predicts the example with member k, if the powers need the prediction, and then learns it.
func (m *Mixture) learn(k int) {
	if m.calibrates {
		m.predictMember(&m.before, k, m.x, before)
	}
	m.updates[k], m.errs[k] = m.members[k].Observe(m.x, m.class)
}

// weigh updates the weights of the stream, and what is kept of the order of the examples.
func (m *Mixture) weigh() {
	w := m.stream
	if m.calibrates && floats.Equal(m.before.Weights, w.members.weight) { // no member failed
		average(&m.before)
		w.powers.add(m.before.P, m.class, 1)
	}
	m.state.Seen++
	m.state.Order.add(m.x, m.class, m.logP)
	w.discount(1 - m.state.Forgetting)
	w.members.add(m.logP, 1, smallest)
	w.normalise()
}
