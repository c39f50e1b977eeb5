package bnn

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
)

// Bank is a mixture of models that learn the same examples, each weighted by how well it predicted: it
// chooses settings in one pass, without a validation set. While the classes seem to come in a random order, a
// member is weighted by its predictions of the examples before it learned them, see [BankState]; otherwise by
// its present predictions of a random sample of all examples, see [Order].
//
// The same predictions calibrate the probabilities, since a mean of calibrated distributions is
// underconfident (Ranjan and Gneiting, "Combining probability forecasts", 2010). p becomes the mean of
// p^τ/Σp^τ over τ = 0.7, 0.85, 1, 1.2, 1.5 and 2, each τ weighted by the probability that it gave to the
// classes (temperature scaling: Guo et al., "On calibration of modern neural networks", 2017). A member that
// returns an error, or no LogP, gave the class the probability zero. If all fail, Observe changes nothing and
// returns the first error. Only Predict, Weights and State are safe for concurrent use.
type Bank struct {
	models   []Model
	equal    bool // an ensemble: the weights stay, and all members learn an example or none
	parallel bool // the members learn side by side
	state    BankState
	along    *weighing // by the predictions before learning

	mu     sync.Mutex
	judged *weighing // what Predict uses; nil: to be computed

	// Scratch space of Observe: the example and the members' results.
	x          []float64
	class      int
	calibrates bool // the example changes the weights of the powers
	before     Prediction
	updates    []Update
	errs       []error
	logP       []float64
}

// NewBank returns a bank of 1 to 16 distinct members with equal weights. The members must have the same
// numbers of inputs and classes, and belong to the bank from now on.
func NewBank(members ...Model) (*Bank, error) { return RestoreBank(BankState{}, members...) }

// RestoreBank is [NewBank] with the weights of a [Bank.State].
func RestoreBank(s BankState, members ...Model) (*Bank, error) {
	b, err := newBank(members)
	if err == nil {
		err = b.restore(s)
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

// largeNetwork is the number of connections above which a step takes longer than starting a goroutine.
const largeNetwork = 1 << 14

func newBank(models []Model) (*Bank, error) {
	n := len(models)
	if n == 0 {
		return nil, errors.New("bnn: no members")
	}
	b := &Bank{
		models: slices.Clone(models), along: &weighing{members: slices.Repeat([]float64{1 / float64(n)}, n)},
		updates: make([]Update, n), errs: make([]error, n), logP: make([]float64, n),
	}
	inputs, classes := b.Shape()
	for k, model := range models {
		if in, out := model.Shape(); in != inputs || out != classes {
			return nil, fmt.Errorf(
				"bnn: member %d has %d inputs and %d classes, and member 0 %d and %d; need the same",
				k, in, out, inputs, classes)
		}
		if slices.Contains(models[:k], model) {
			return nil, fmt.Errorf("bnn: member %d is a member twice", k)
		}
		large := slices.ContainsFunc(networksOf(model), (*Network).large)
		b.parallel = b.parallel || large && n > 1 && runtime.GOMAXPROCS(0) > 1
	}
	return b, nil
}

func (n *Network) large() bool {
	connections := 0
	for l, out := range n.cfg.Layers[1:] {
		connections += out * n.cfg.Layers[l]
	}
	return connections >= largeNetwork
}

func networksOf(m Model) []*Network {
	switch m := m.(type) {
	case *Network:
		return []*Network{m}
	case interface{ Members() []*Network }:
		return m.Members()
	}
	return nil
}

// Members returns the networks among the members and among their members. Changing one changes the bank.
func (b *Bank) Members() (networks []*Network) {
	for _, m := range b.models {
		networks = append(networks, networksOf(m)...)
	}
	return networks
}

// Models returns the members. Changing one changes the bank.
func (b *Bank) Models() []Model { return b.models }

// Weights returns a copy of the members' weights that Predict uses.
func (b *Bank) Weights() []float64 { return slices.Clone(b.current().members) }

// Shape implements [Model].
func (b *Bank) Shape() (inputs, classes int) { return b.models[0].Shape() }

// AddClass adds a class to all members, see [Network.AddClass], or after an error to none.
func (b *Bank) AddClass() error {
	for _, n := range b.Members() {
		if _, err := n.grown(); err != nil {
			return err
		}
	}
	for _, model := range b.models {
		if err := model.AddClass(); err != nil {
			return err // too many classes, from the first member
		}
	}
	b.judged = nil
	b.state.Order.addClass()
	return nil
}

// Fix freezes the weights of the members, for a second pass over the same examples.
func (b *Bank) Fix() { b.along, b.state.Fixed = b.current(), true }

// Serial makes large members learn one after another, for programs that already use all processors.
func (b *Bank) Serial() { b.parallel = false }

// Forget discounts the past, for streams whose distribution changes: before each example the log weights are
// multiplied by 1 − fraction, 0 ≤ fraction ≤ 1, and the order of the classes is not tested.
func (b *Bank) Forget(fraction float64) error {
	if !(0 <= fraction && fraction <= 1) {
		return fmt.Errorf("bnn: forgetting of %g: need 0 to 1", fraction)
	}
	b.state.Forgetting, b.judged = fraction, nil
	return nil
}
