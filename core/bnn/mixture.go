package bnn

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
)

// largeNetwork is the number of connections of a network whose step takes longer than to start a
// goroutine. An output layer is always as large.
const largeNetwork = 1 << 14

// newBank returns a bank of equal weights.
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
		networks, earlier := networksOf(model), b.models[:k]
		twice := func(n *Network) bool {
			return slices.ContainsFunc(earlier, func(m Model) bool { return slices.Contains(networksOf(m), n) })
		}
		if slices.Contains(earlier, model) || slices.ContainsFunc(networks, twice) {
			return nil, fmt.Errorf("bnn: member %d, or a network of it, is a member twice", k)
		}
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
func (b *Bank) Members() (all []*Network) {
	for _, m := range b.models {
		all = append(all, networksOf(m)...)
	}
	return all
}

// Models returns the members. Changing one changes the bank.
func (b *Bank) Models() []Model { return b.models }

// Weights returns a copy of the weights of the members, as Predict uses them.
func (b *Bank) Weights() []float64 { return slices.Clone(b.current().members) }

// Shape implements [Model].
func (b *Bank) Shape() (inputs, classes int) { return b.models[0].Shape() }

// AddClass adds a class to all members, see [Network.AddClass], or after an error to none. The weights of
// the members stay.
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

// each calls do for every member.
func (b *Bank) each(do func(b *Bank, k int)) {
	if !b.parallel {
		for k := range b.models {
			do(b, k)
		}
		return
	}
	var busy sync.WaitGroup
	for k := range b.models {
		busy.Go(func() { do(b, k) })
	}
	busy.Wait()
}

// update returns that of the mixture, and sets logP.
func (b *Bank) update() Update {
	all := Update{MinEigenvalue: math.NaN(), MinVariance: math.NaN()}
	for k, u := range b.updates {
		if b.logP[k] = u.LogP; b.errs[k] != nil || math.IsNaN(u.LogP) {
			b.logP[k] = math.Inf(-1)
		}
		if b.errs[k] != nil {
			continue
		}
		all.MinEigenvalue = smaller(all.MinEigenvalue, u.MinEigenvalue)
		all.MinVariance = smaller(all.MinVariance, u.MinVariance)
		all.Indefinite = all.Indefinite || u.Indefinite
		all.Floored += u.Floored
		all.Capped += u.Capped
		all.Action = max(all.Action, u.Action)
	}
	top, sum := max(slices.Max(b.logP), smallest), 0.0
	for k, w := range b.along.members {
		sum += w * kernel.Exp(b.logP[k]-top)
	}
	all.LogP = top + kernel.Log(sum)
	return all
}

// smaller returns the smaller of two numbers, of which NaN is none.
func smaller(x, y float64) float64 {
	if y < x || math.IsNaN(x) {
		return y
	}
	return x
}

// mix sets all but P, Members and Weights to the mixture of the members.
func (p *Prediction) mix() {
	p.Moments.Zero()
	clear(p.Mean)
	clear(p.Variance)
	for k, w := range p.Weights {
		if m := &p.Members[k]; w > 0 {
			p.Moments.AddScaled(w, m.Moments)
			floats.AddScaled(p.Mean, w, m.Mean)
			floats.AddScaled(p.Variance, w, m.Variance)
		}
	}
	p.Moments.Cov(p.Cov)
	for k, w := range p.Weights {
		for j, mean := range p.Members[k].Mean {
			if d := mean - p.Mean[j]; w > 0 {
				p.Variance[j] += w * d * d
			}
		}
	}
}

// average sets P to the weighted mean of the members' distributions, Σ_k w_k p_k/Σp_k.
func (p *Prediction) average() {
	clear(p.P)
	for k, w := range p.Weights {
		if m := &p.Members[k]; w > 0 {
			sum := m.Sum()
			for j, pj := range m.P {
				p.P[j] += float64(w * (pj / sum))
			}
		}
	}
}

// MutualInformation returns the mutual information of the label and the member, in nats:
//
//	I = H(p) − Σ_k w_k H(p_k) ≥ 0,
//
// with the entropy H, the Weights w_k and the probabilities p and p_k of Moments. It measures how much
// the members disagree, and is 0 for a network. Probabilities that do not add up to 1 are divided by
// their sum, and w_k is multiplied by the sum of p_k over the sum of p.
func (p *Prediction) MutualInformation() float64 {
	if !p.valid() {
		return math.NaN()
	}
	if len(p.Members) == 0 {
		return 0
	}
	sum := 1 + p.Moments.Excess()
	information := kernel.Entropy(p.Moments.P, sum)
	for k, w := range p.Weights {
		if m := &p.Members[k]; w > 0 {
			share := 1 + m.Moments.Excess()
			information -= share / sum * w * kernel.Entropy(m.P, share)
		}
	}
	return max(0, information) // but for rounding
}
