package bnn

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
)

// BankState is the state of a [Bank] apart from its members. The members' weights are the mean of those of
// mixtures of four members, repeats allowed. Each mixture is weighted by the probability that it gave to the
// classes. Over n examples the bank predicts within log(number of mixtures)/n nats as well as the best
// mixture (Cover, "Universal portfolios", Mathematical Finance 1991).
type BankState struct {
	Seen       int       `json:"seen"`                 // number of examples behind the weights
	Fixed      bool      `json:"fixed"`                // the weights stay as they are
	Forgetting float64   `json:"forgetting,omitempty"` // see [Bank.Forget]
	Mixtures   []float64 `json:"mixtures"`             // log weights of the mixtures, the largest 0; nil: equal
	Powers     []float64 `json:"powers"`               // likewise of the powers τ
	Order      Order     `json:"order"`
}

var powers = [...]float64{0.7, 0.85, 1, 1.2, 1.5, 2}

// mostMembers limits the number of mixtures: 3,876 for 16 members.
const mostMembers = 16

func mixtures(members int) (list [][4]int) {
	for i := range members {
		list = append(list, [4]int{i, i, i, i})
	}
	for i := range members {
		for j := i; j < members; j++ {
			for k := j; k < members; k++ {
				for l := max(k, i+1); l < members; l++ {
					list = append(list, [4]int{i, j, k, l})
				}
			}
		}
	}
	return list
}

type weighing struct {
	shares           [][4]int             // the four members of each mixture
	logMix, logPower []float64            // of the mixtures and of the powers
	members          []float64            // 1 in total
	power            [len(powers)]float64 // likewise
	p                []float64            // scratch space: probabilities of the class but for a factor
}

func newWeighing(members int) *weighing {
	w := &weighing{shares: mixtures(members), members: make([]float64, members), p: make([]float64, members)}
	w.logMix, w.logPower = make([]float64, len(w.shares)), make([]float64, len(powers))
	w.normalise()
	return w
}

func (b *Bank) State() BankState {
	s := b.state
	s.Mixtures, s.Powers = slices.Clone(b.along.logMix), slices.Clone(b.along.logPower)
	s.Order = s.Order.clone()
	return s
}

func (b *Bank) restore(s BankState) error {
	members := len(b.models)
	if members > mostMembers {
		return fmt.Errorf("bnn: a bank of %d members; need %d at most", members, mostMembers)
	}
	inputs, classes := b.Shape()
	w := newWeighing(members)
	if s.Mixtures == nil && s.Powers == nil {
		s.Mixtures, s.Powers = w.logMix, w.logPower
	}
	if len(s.Order.Counts)+len(s.Order.Kept) == 0 { // no examples, or a state saved without an order
		s.Order.Counts, s.Order.Kept = make([]int, classes), make([][]Kept, classes)
	}
	if len(s.Mixtures) != len(w.logMix) || len(s.Powers) != len(powers) || s.Seen < 0 ||
		notFinite(s.Mixtures) >= 0 || notFinite(s.Powers) >= 0 || !(0 <= s.Forgetting && s.Forgetting <= 1) ||
		!s.Order.fits(inputs, classes, members) {
		return fmt.Errorf("bnn: the weights or the kept examples are not those of a bank of %d members with "+
			"%d inputs and %d classes", members, inputs, classes)
	}
	copy(w.logMix, s.Mixtures)
	copy(w.logPower, s.Powers)
	w.normalise()
	s.Order = s.Order.clone()
	b.state, b.along = s, w
	return nil
}

func (b *Bank) weigh() {
	if b.state.Fixed {
		return
	}
	b.state.Seen++
	b.state.Order.add(b.x, b.class, b.logP)
	if keep := 1 - b.state.Forgetting; keep < 1 {
		floats.Scale(keep, b.along.logMix)
		floats.Scale(keep, b.along.logPower)
	}
	b.along.add(b.logP, 1, smallest)
	b.along.normalise()
}

var smallest = kernel.Log(math.SmallestNonzeroFloat64)

// add updates the log weights of the mixtures by the log probabilities that the members gave the class of a
// weighted example. Zero and NaN count as the smallest positive number; mixtures are raised to the floor.
func (w *weighing) add(logP []float64, weight, floor float64) {
	for k, x := range logP {
		logP[k] = atLeast(x, smallest)
	}
	top := slices.Max(logP)
	for k, x := range logP {
		w.p[k] = kernel.Exp(x - top)
	}
	for i, m := range w.shares {
		step := logP[m[0]]
		if m[0] != m[3] {
			step = top + kernel.Log((w.p[m[0]]+w.p[m[1]]+w.p[m[2]]+w.p[m[3]])/4)
		}
		w.logMix[i] += float64(weight * atLeast(step, floor))
	}
}

func atLeast(x, floor float64) float64 {
	if x >= floor {
		return x
	}
	return floor
}

func (w *weighing) normalise() {
	floats.AddConst(-slices.Max(w.logMix), w.logMix)
	floats.AddConst(-slices.Max(w.logPower), w.logPower)
	clear(w.members)
	for i, m := range w.shares {
		u := kernel.Exp(w.logMix[i])
		for _, k := range m {
			w.members[k] += u
		}
	}
	kernel.ExpAll(w.power[:], w.logPower)
	floats.Scale(1/kernel.Sum(w.members), w.members)
	floats.Scale(1/kernel.Sum(w.power[:]), w.power[:])
}

func (b *Bank) calibrating() bool {
	return !b.equal && !b.state.Fixed && (b.state.Seen < 1000 || b.state.Seen%8 == 0)
}

// judge updates the log weights of the powers by the uncalibrated prediction p, which it overwrites.
func (w *weighing) judge(p []float64, class int, weight float64) {
	_, totals := powerTotals(p)
	for i, tau := range powers {
		w.logPower[i] += float64(weight * atLeast(tau*p[class]-kernel.Log(totals[i]), smallest))
	}
}

// temper calibrates the probabilities p, unless they are NaN, and keeps their sum.
func (w *weighing) temper(p []float64) {
	if floats.HasNaN(p) {
		return
	}
	sum, totals := powerTotals(p)
	for j, x := range p {
		p[j] = 0
		for i, tau := range powers {
			p[j] += sum * w.power[i] / totals[i] * kernel.Exp(tau*x)
		}
	}
}

// powerTotals replaces p by log p/max p, and returns the old sum and Σ (p/max p)^τ for each power.
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
