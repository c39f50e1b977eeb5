package bnn

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
)

// BankState is what a [Bank] knows beside its members. The weights of the members are the mean of those
// of mixtures of four of them, each member counted up to four times, and each mixture weighted by the
// probability that it gave to the classes so far. Over n examples the bank predicts within log(number
// of mixtures)/n nats as well as the best mixture, and so as each member (Cover, "Universal
// portfolios", Mathematical Finance 1991, on a grid).
type BankState struct {
	Seen     int       `json:"seen"`     // examples that the weights follow from
	Fixed    bool      `json:"fixed"`    // the weights stay as they are
	Mixtures []float64 `json:"mixtures"` // log weights of the mixtures, the largest 0; nil for equal ones
	Powers   []float64 `json:"powers"`   // likewise of the powers τ
}

// powers are the τ of a [Bank].
var powers = [...]float64{0.7, 0.85, 1, 1.2, 1.5, 2}

// mostMembers limits the number of mixtures.
const mostMembers = 64

// mixtures returns the members of each mixture: those of one member, and then all others.
func mixtures(members int) (all [][4]int) {
	for i := range members {
		all = append(all, [4]int{i, i, i, i})
	}
	for i := range members {
		for j := i; j < members; j++ {
			for k := j; k < members; k++ {
				for l := max(k, i+1); l < members; l++ {
					all = append(all, [4]int{i, j, k, l})
				}
			}
		}
	}
	return all
}

// State returns a copy of the state.
func (b *Bank) State() BankState {
	s := b.state
	s.Mixtures, s.Powers = slices.Clone(s.Mixtures), slices.Clone(s.Powers)
	return s
}

// restore copies a state.
func (b *Bank) restore(s BankState) error {
	if len(b.models) > mostMembers {
		return fmt.Errorf("bnn: a bank of %d members; need %d at most", len(b.models), mostMembers)
	}
	b.shares = mixtures(len(b.models))
	if s.Mixtures == nil && s.Powers == nil {
		s.Mixtures, s.Powers = make([]float64, len(b.shares)), make([]float64, len(powers))
	}
	if len(s.Mixtures) != len(b.shares) || len(s.Powers) != len(powers) || s.Seen < 0 ||
		notFinite(s.Mixtures) >= 0 || notFinite(s.Powers) >= 0 {
		return fmt.Errorf("bnn: %d and %d weights after %d examples; need %d and %d finite ones for %d members",
			len(s.Mixtures), len(s.Powers), s.Seen, len(b.shares), len(powers), len(b.models))
	}
	b.state = s
	b.state = b.State()
	b.normalise()
	return nil
}

// weigh changes the weights by logP, the logarithms of the probabilities that the members gave the
// class of one example. A probability of zero, or NaN, counts as the smallest positive number.
func (b *Bank) weigh(logP []float64) {
	if b.state.Fixed {
		return
	}
	b.state.Seen++
	for k, x := range logP {
		logP[k] = atLeast(x)
	}
	top := slices.Max(logP)
	for k, x := range logP {
		b.p[k] = kernel.Exp(x - top)
	}
	for i, m := range b.shares {
		step := logP[m[0]]
		if m[0] != m[3] {
			step = atLeast(top + kernel.Log((b.p[m[0]]+b.p[m[1]]+b.p[m[2]]+b.p[m[3]])/4))
		}
		b.state.Mixtures[i] += step
	}
	b.normalise()
}

// atLeast returns x, or the logarithm of the smallest positive number if x is below that or NaN.
func atLeast(x float64) float64 {
	smallest := kernel.Log(math.SmallestNonzeroFloat64)
	if x >= smallest {
		return x
	}
	return smallest
}

// normalise computes the weights, and shifts the logarithms so that the largest is 0.
func (b *Bank) normalise() {
	floats.AddConst(-slices.Max(b.state.Mixtures), b.state.Mixtures)
	floats.AddConst(-slices.Max(b.state.Powers), b.state.Powers)
	clear(b.weights)
	for i, m := range b.shares {
		u := kernel.Exp(b.state.Mixtures[i])
		for _, k := range m {
			b.weights[k] += u
		}
	}
	kernel.ExpAll(b.powers[:], b.state.Powers)
	floats.Scale(1/kernel.Sum(b.weights), b.weights)
	floats.Scale(1/kernel.Sum(b.powers[:]), b.powers[:])
}

// judges reports whether the next example changes the weights of the powers: one of the first
// thousand, or every eighth.
func (b *Bank) judges() bool { return !b.state.Fixed && (b.state.Seen < 1000 || b.state.Seen%8 == 0) }

// judge changes the weights of the powers by the prediction p of an example before its members learned
// it, and before calibration. It overwrites p.
func (b *Bank) judge(p []float64, class int) {
	_, totals := powerTotals(p)
	for i, tau := range powers {
		b.state.Powers[i] += atLeast(tau*p[class] - kernel.Log(totals[i]))
	}
}

// temper calibrates the probabilities p of the mixture, unless they are NaN. Their sum stays.
func (b *Bank) temper(p []float64) {
	if floats.HasNaN(p) {
		return
	}
	sum, totals := powerTotals(p)
	for j, x := range p {
		p[j] = 0
		for i, tau := range powers {
			p[j] += sum * b.powers[i] / totals[i] * kernel.Exp(tau*x)
		}
	}
}

// powerTotals replaces p by log p/max p, and returns its sum of before and Σ (p/max p)^τ of each power.
func powerTotals(p []float64) (sum float64, totals [len(powers)]float64) {
	sum = kernel.Sum(p)
	top := kernel.Log(slices.Max(p))
	for j, x := range p {
		p[j] = kernel.Log(x) - top
		for i, tau := range powers {
			totals[i] += kernel.Exp(tau * p[j])
		}
	}
	return sum, totals
}
