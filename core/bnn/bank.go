package bnn

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
)

// Bank is a mixture of models that learn the same examples, weighted by how they predicted: a choice of
// settings in one pass, without a validation set. As long as the classes seem to come in a random order, a
// member is weighted by how it predicted each example before it learned it, see [BankState], otherwise by how
// it predicts a random sample of all examples now, see [Order].
//
// The same predictions calibrate the probabilities: p becomes the mean of the p^τ/Σp^τ with τ = 0.7, 0.85, 1,
// 1.2, 1.5 and 2, each weighted by the probability that it gave to the classes (temperature scaling: Guo et
// al., "On calibration of modern neural networks", 2017). A mean of calibrated distributions is less certain
// than is right (Ranjan and Gneiting, "Combining probability forecasts", 2010).
//
// A member whose Observe returns an error, or no LogP, counts as one that gave the class the probability
// zero. If all return an error nothing changes, and Observe returns that of the first.
//
// Predict, Weights and State may be called by several goroutines at once, each with its own prediction; the
// other methods need the bank for themselves.
type Bank struct {
	models   []Model
	equal    bool // an ensemble: the weights stay, and all members learn an example or none
	parallel bool // the members learn side by side
	state    BankState
	along    *weighing // by the predictions along the stream

	mu     sync.Mutex
	judged *weighing // what Predict uses; nil: not known since the last example

	// Scratch space of Observe: the example, and what the members say of it.
	x          []float64
	class      int
	calibrates bool // the example changes the weights of the powers
	before     Prediction
	updates    []Update
	errs       []error
	logP       []float64
}

// NewBank returns the bank of the members, with equal weights before the first example. The members belong to
// the bank from now on. There may be 16, of the same numbers of inputs and classes, none of them twice.
func NewBank(members ...Model) (*Bank, error) { return RestoreBank(BankState{}, members...) }

// RestoreBank returns the bank of the members, see [NewBank], with the weights of a [Bank.State].
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

// largeNetwork is the number of connections of a network whose step takes longer than to start a goroutine.
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
		networks := networksOf(model)
		large := len(networks) == 0 || slices.ContainsFunc(networks, (*Network).large)
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

// networksOf returns the networks of a model; an output layer has none.
func networksOf(m Model) []*Network {
	switch m := m.(type) {
	case *Network:
		return []*Network{m}
	case interface{ Members() []*Network }:
		return m.Members()
	}
	return nil
}

// Members returns the networks among the members, and among theirs. Changing one changes the bank.
func (b *Bank) Members() (networks []*Network) {
	for _, m := range b.models {
		networks = append(networks, networksOf(m)...)
	}
	return networks
}

// Models returns the members. Changing one changes the bank.
func (b *Bank) Models() []Model { return b.models }

// Weights returns a copy of the weights of the members, as Predict uses them.
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
			return err // of too many classes, of the first member
		}
	}
	b.judged = nil
	b.state.Order.addClass()
	return nil
}

// Fix leaves the weights as they are from now on, for a second pass over the same examples.
func (b *Bank) Fix() { b.along, b.state.Fixed = b.current(), true }

// Serial has large members, too, learn one after another: for programs that use all processors anyway.
func (b *Bank) Serial() { b.parallel = false }

// Forget has the past count less, for streams whose distribution changes: before each example the logarithms
// of the weights are multiplied by 1 − fraction, and the order of the classes is not judged. Unless
// 0 ≤ fraction ≤ 1 it returns an error.
func (b *Bank) Forget(fraction float64) error {
	if !(0 <= fraction && fraction <= 1) {
		return fmt.Errorf("bnn: forgetting of %g: need 0 to 1", fraction)
	}
	b.state.Forgetting, b.judged = fraction, nil
	return nil
}
