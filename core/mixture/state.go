package mixture

import (
	"fmt"
	"math"
	"slices"

	"closedform/core/bnn"
)

// State is the state of a [Mixture] apart from its members. A restored mixture continues as the original, to
// the bit.
type State struct {
	Seen       int       `json:"seen"`                 // number of examples behind the weights
	Fixed      bool      `json:"fixed"`                // see [Mixture.Fix]
	Forgetting float64   `json:"forgetting,omitempty"` // see [Mixture.Forget]
	Mixtures   []float64 `json:"mixtures"`             // log weights of quartets of members, the largest 0
	Powers     []float64 `json:"powers"`               // log weights of the powers τ, the largest 0
	Order      Order     `json:"order"`
}

// State returns a copy of the state.
func (m *Mixture) State() State {
	s := m.state
	s.Mixtures, s.Powers = slices.Clone(m.stream.members.logWeight), slices.Clone(m.stream.powers.logWeight)
	s.Order = s.Order.clone()
	return s
}

// Restore is [New] with a copy of the state. It returns an error unless the state is one of such members.
func Restore(s State, members ...bnn.Model) (*Mixture, error) {
	m, err := New(members...)
	if err != nil {
		return nil, err
	}
	inputs, classes := m.Shape()
	w := m.stream
	if len(s.Mixtures) != len(w.members.logWeight) || len(s.Powers) != len(powers) || s.Seen < 0 ||
		!finite(s.Mixtures) || !finite(s.Powers) || !(0 <= s.Forgetting && s.Forgetting <= 1) ||
		!s.Order.fits(inputs, classes, len(members)) {
		return nil, fmt.Errorf("mixture: the weights or the kept examples are not those of a mixture of %d members "+
			"with %d inputs and %d classes", len(members), inputs, classes)
	}
	copy(w.members.logWeight, s.Mixtures)
	copy(w.powers.logWeight, s.Powers)
	w.normalise()
	m.state = s
	m.state.Mixtures, m.state.Powers, m.state.Order = nil, nil, s.Order.clone()
	return m, nil
}

func finite(x []float64) bool {
	return !slices.ContainsFunc(x, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
}
