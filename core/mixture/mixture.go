// Package mixture has a weighted mixture of models that learn the same examples. It chooses settings in one
// pass, without a validation set:
//
//	m, err := mixture.New(network, ensemble, layer)
//	update, err := m.Observe([]float64{0.5, 1.5}, 0)
//	var p bnn.Prediction
//	err = m.Predict(&p, []float64{-1, 0.3})
//
// From the distributions p_k of the members with weights w_k it predicts Σ_k w_k p_k, and calibrates the
// mixture by powers τ with weights of their own, see calibration.go. Both kinds of weights follow from the
// probabilities that the members and the mixture gave to the classes. There are two weightings:
//
//   - along the stream, for [Mixture.Before]: by the predictions of each example before it was learned;
//   - for [Mixture.Predict]: the same while the classes seem to come in a random order; otherwise by the
//     present predictions of a random sample of all examples, see [Order].
package mixture

import (
	"fmt"
	"runtime"
	"slices"
	"sync"

	"closedform/core/bnn"
	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

// Mixture is a mixture of models. A member that returns an error, or no LogP, counts as giving the class the
// probability zero. Only Predict, Weights and State are safe for concurrent use, Predict each time with its
// own Prediction.
type Mixture struct {
	members  []bnn.Model
	parallel bool       // large members learn in parallel
	state    State      // the state without the log weights, which stream has
	stream   *weighting // weights along the stream, for Before

	mu       sync.Mutex
	snapshot *weighting // weights for Predict; nil: not computed since the last example

	// Scratch space of Observe: the example, and the members' predictions and results.
	x          []float64
	class      int
	calibrates bool // whether the example changes the weights of the powers
	before     bnn.Prediction
	updates    []bnn.Update
	errs       []error
	logP       []float64
}

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

// mostMembers limits the number of quartets, see memberWeights, to 3,876.
const mostMembers = 16

// New returns a mixture of 1 to 16 distinct members with equal weights. The members must have the same
// numbers of inputs and classes, and belong to the mixture from now on.
func New(members ...bnn.Model) (*Mixture, error) {
	n := len(members)
	if n > mostMembers {
		return nil, fmt.Errorf("mixture: %d members; need %d at most", n, mostMembers)
	}
	if err := bnn.SameShape(members); err != nil {
		return nil, fmt.Errorf("mixture: %w", err)
	}
	m := &Mixture{
		members: slices.Clone(members), stream: newWeighting(n),
		updates: make([]bnn.Update, n), errs: make([]error, n), logP: make([]float64, n),
	}
	_, classes := m.Shape()
	m.state.Order = Order{Counts: make([]int, classes), Kept: make([][]Kept, classes)}
	m.before = m.newPrediction()
	m.parallel = n > 1 && runtime.GOMAXPROCS(0) > 1 && slices.ContainsFunc(networks(members), large)
	return m, nil
}

// State returns a copy of the state.
func (m *Mixture) State() State {
	s := m.state
	s.Mixtures, s.Powers = slices.Clone(m.stream.members.logWeight), slices.Clone(m.stream.powers.logWeight[:])
	s.Order = s.Order.clone()
	return s
}

// Restore is [New] with a copy of the state. It returns an error unless the state fits the members.
func Restore(s State, members ...bnn.Model) (*Mixture, error) {
	m, err := New(members...)
	if err != nil {
		return nil, err
	}
	inputs, classes := m.Shape()
	w := m.stream
	if len(s.Mixtures) != len(w.members.logWeight) || len(s.Powers) != len(powers) || s.Seen < 0 ||
		!kernel.Finite(slices.Concat(s.Mixtures, s.Powers)...) || !(0 <= s.Forgetting && s.Forgetting <= 1) ||
		!s.Order.fits(inputs, classes, len(members)) {
		return nil, fmt.Errorf("mixture: the weights or the kept examples are not those of a mixture of "+
			"%d members with %d inputs and %d classes", len(members), inputs, classes)
	}
	copy(w.members.logWeight, s.Mixtures)
	copy(w.powers.logWeight[:], s.Powers)
	w.normalise()
	m.state = s
	m.state.Mixtures, m.state.Powers, m.state.Order = nil, nil, s.Order.clone()
	return m, nil
}

// networks returns the networks among the models and among their members.
func networks(models []bnn.Model) (list []*bnn.Network) {
	for _, m := range models {
		switch m := m.(type) {
		case *bnn.Network:
			list = append(list, m)
		case *bnn.Ensemble:
			list = append(list, m.Members()...)
		case *Mixture:
			list = append(list, networks(m.members)...)
		}
	}
	return list
}

// large reports whether a step of the network takes longer than starting a goroutine.
func large(n *bnn.Network) bool {
	layers, connections := n.Config().Layers, 0
	for l, out := range layers[1:] {
		connections += out * layers[l]
	}
	return connections >= 1<<14
}

// each calls do for each member.
func (m *Mixture) each(do func(m *Mixture, k int)) {
	if m.parallel {
		last := len(m.members) - 1 // start with the slowest member, usually an output layer
		linalg.Parallel(last+1, func(k int) { do(m, last-k) })
		return
	}
	for k := range m.members {
		do(m, k)
	}
}

// Members returns the members. Changing one changes the mixture.
func (m *Mixture) Members() []bnn.Model { return m.members }

// Weights returns a copy of the members' weights that Predict uses.
func (m *Mixture) Weights() []float64 { return slices.Clone(m.current().members.weight) }

// Shape implements [bnn.Model].
func (m *Mixture) Shape() (inputs, classes int) { return m.members[0].Shape() }

// AddClass adds a class to all members, see [bnn.Network.AddClass], or after an error to none.
func (m *Mixture) AddClass() error {
	for _, n := range networks(m.members) {
		c := n.Config()
		c.Layers[len(c.Layers)-1]++
		if err := c.Validate(); err != nil {
			return fmt.Errorf("mixture: a network with one more class: %w", err)
		}
	}
	for _, member := range m.members {
		if err := member.AddClass(); err != nil {
			return err // only the first member can fail, at its largest number of classes
		}
	}
	m.state.Order.addClass()
	m.snapshot, m.before = nil, m.newPrediction()
	return nil
}

// Fix freezes the weights of the members, for a second pass over the same examples.
func (m *Mixture) Fix() { m.stream, m.state.Fixed = m.current(), true }

// Serial makes large members learn one after another, for programs that already use all processors.
func (m *Mixture) Serial() { m.parallel = false }

// Forget discounts the past, for streams whose distribution changes: before each example the log weights are
// multiplied by 1 − fraction, 0 ≤ fraction ≤ 1, and the order of the classes is not tested.
func (m *Mixture) Forget(fraction float64) error {
	if !(0 <= fraction && fraction <= 1) {
		return fmt.Errorf("mixture: forgetting of %g: need 0 to 1", fraction)
	}
	m.state.Forgetting, m.snapshot = fraction, nil
	return nil
}
