// Package mixture has a weighted mixture of models that learn the same examples. It chooses settings in one
// pass, without a validation set:
//
//	m, err := mixture.New(network, ensemble, layer)
//	update, err := m.Observe([]float64{0.5, 1.5}, 0)
//	var p bnn.Prediction
//	err = m.Predict(&p, []float64{-1, 0.3})            // the next example of the stream
//	err = m.Snapshot().Predict(&p, []float64{-1, 0.3}) // any input
//
// From the distributions p_k of the members with weights w_k it predicts Σ_k w_k p_k, and calibrates the
// mixture by powers τ with weights of their own, see calibration.go. Both kinds of weights follow from the
// probabilities that the members and the mixture gave to the classes before they learned them:
//
//   - [Mixture.Predict] has weights that forget, by a fixed share, as the best member may change;
//   - a [Snapshot] has the weights of the whole stream while its classes seem to come in a random order;
//     otherwise those by the present predictions of a random sample of all examples, see [Order].
package mixture

import (
	"fmt"
	"runtime"
	"slices"

	"closedform/core/bnn"
	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

// Mixture is a mixture of models. A member that returns an error, or no LogP, counts as giving the class the
// probability zero. It is not safe for concurrent use; its snapshots are.
type Mixture struct {
	members     []bnn.Model
	parallel    bool       // large members learn in parallel
	state       State      // the state without the log weights
	next, whole *weighting // the weights for the next example, without logarithms, and those by the whole stream

	// Scratch space: the input of the last prediction, with the distributions of the members, and whether each
	// member predicted it; and of Observe the example, and the members' results.
	latest  []float64
	p       [][]float64
	able    []bool
	x       []float64
	class   int
	predict bool // whether Observe predicts the example
	before  []bnn.Prediction
	mixed   []float64
	updates []bnn.Update
	errs    []error
	logP    []float64
}

// State is the state of a [Mixture] apart from its members. A restored mixture continues as the original, to
// the bit.
type State struct {
	Seen  int     `json:"seen"`  // number of examples behind the weights
	Fixed bool    `json:"fixed"` // see [Mixture.Fix]
	Share float64 `json:"share"` // see [Mixture.SetFixedShare]
	Next  Weights `json:"next"`  // for the next example
	Whole Weights `json:"whole"` // by the whole stream: logarithms, the largest 0
	Order Order   `json:"order"`
}

// Weights are the weights of a mixture.
type Weights struct {
	Quartets []float64 `json:"quartets"` // mixtures of four members, see memberWeights
	Powers   []float64 `json:"powers"`   // the powers τ
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
		members: slices.Clone(members), next: newWeighting(n), whole: newWeighting(n), able: make([]bool, n),
		before: make([]bnn.Prediction, n), updates: make([]bnn.Update, n), errs: make([]error, n),
		logP: make([]float64, n),
	}
	for k, member := range members {
		m.before[k].Brief = true
		if Follows(member) {
			m.whole.members.doubt(k) // a follower knows little of what came long ago
		}
	}
	m.whole.normalise()
	_, classes := m.Shape()
	m.state.Order, m.state.Share = *NewOrder(classes), FixedShare
	m.resize()
	m.parallel = n > 1 && runtime.GOMAXPROCS(0) > 1 && slices.ContainsFunc(networks(members), (*bnn.Network).Large)
	return m, nil
}

// resize makes the scratch space fit the number of classes.
func (m *Mixture) resize() {
	_, classes := m.Shape()
	m.latest, m.mixed, m.p = nil, make([]float64, classes), make([][]float64, len(m.members))
	for k := range m.p {
		m.p[k] = make([]float64, classes)
	}
}

// State returns a copy of the state.
func (m *Mixture) State() State {
	s := m.state
	s.Next = Weights{slices.Clone(m.next.members.quartet), slices.Clone(m.next.powers.weight[:])}
	s.Whole = Weights{slices.Clone(m.whole.members.logWeight), slices.Clone(m.whole.powers.logWeight[:])}
	s.Order = *s.Order.Clone()
	return s
}

// Restore is [New] with a copy of the state. It returns an error unless the state fits the members.
func Restore(s State, members ...bnn.Model) (*Mixture, error) {
	m, err := New(members...)
	if err != nil {
		return nil, err
	}
	inputs, classes := m.Shape()
	fits := s.Seen >= 0 && s.Share >= 0 && s.Share <= 1 && s.Order.Fits(inputs, classes, len(members))
	for _, w := range []Weights{s.Next, s.Whole} {
		fits = fits && len(w.Quartets) == len(m.whole.members.quartet) && len(w.Powers) == len(powers) &&
			kernel.Finite(slices.Concat(w.Quartets, w.Powers)...)
	}
	if !fits || min(slices.Min(s.Next.Quartets), slices.Min(s.Next.Powers)) < 0 ||
		min(kernel.Sum(s.Next.Quartets), kernel.Sum(s.Next.Powers)) == 0 {
		return nil, fmt.Errorf("mixture: the weights or the kept examples are not those of a mixture of "+
			"%d members with %d inputs and %d classes", len(members), inputs, classes)
	}
	copy(m.next.members.quartet, s.Next.Quartets)
	copy(m.next.powers.weight[:], s.Next.Powers)
	m.next.members.average()
	copy(m.whole.members.logWeight, s.Whole.Quartets)
	copy(m.whole.powers.logWeight[:], s.Whole.Powers)
	m.whole.normalise()
	m.state = State{Seen: s.Seen, Fixed: s.Fixed, Share: s.Share, Order: *s.Order.Clone()}
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

// Follows reports whether the model forgets by design: whether its networks have process noise.
func Follows(m bnn.Model) bool {
	return slices.ContainsFunc(networks([]bnn.Model{m}), func(n *bnn.Network) bool {
		return kernel.Sum(n.Config().ProcessNoise) > 0
	})
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

// Weights returns a copy of the members' weights for the next example.
func (m *Mixture) Weights() []float64 { return slices.Clone(m.next.members.weight) }

// Order returns the order of the examples. It must not be changed.
func (m *Mixture) Order() *Order { return &m.state.Order }

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
	m.state.Order.AddClass()
	m.resize()
	return nil
}

// Fix freezes the weights of the members at those of a snapshot, for a second pass over the same examples.
func (m *Mixture) Fix() {
	s := m.Snapshot().(*Snapshot)
	s.relearns = false // the members go on
	s.weigh()
	m.next, m.whole, m.state.Fixed = s.weights, s.weights, true
}

// SetFixedShare sets the share of the weights for the next example that each example distributes equally, 0 to
// 1; the default is [FixedShare].
func (m *Mixture) SetFixedShare(share float64) { m.state.Share = share }

// Serial makes large members learn one after another, for programs that already use all processors.
func (m *Mixture) Serial() { m.parallel = false }
