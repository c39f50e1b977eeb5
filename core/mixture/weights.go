package mixture

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
)

// weighting has the weights of the members of a mixture, and of the powers that calibrate it.
type weighting struct {
	members memberWeights
	powers  calibration
}

func newWeighting(members int) *weighting {
	w := &weighting{members: newMemberWeights(members)}
	w.normalise()
	return w
}

// fixedShare is the share of the weights that an example distributes equally, so that the best member may
// change (fixed share: Herbster and Warmuth, "Tracking the best expert", Machine Learning 1998).
const fixedShare = 0.0002

// share makes each weight (1 − fixedShare)·weight + fixedShare/number.
func (w *weighting) share() {
	share := func(logWeight, weight []float64) {
		for i, u := range weight {
			logWeight[i] = kernel.Log(float64((1-fixedShare)*u) + fixedShare/float64(len(weight)))
		}
	}
	share(w.members.logWeight, w.members.quartet)
	share(w.powers.logWeight[:], w.powers.weight[:])
	w.normalise()
}

func (w *weighting) state() Weights {
	return Weights{slices.Clone(w.members.logWeight), slices.Clone(w.powers.logWeight[:])}
}

func (w *weighting) clone() *weighting {
	c := newWeighting(len(w.members.weight))
	c.restore(w.state())
	return c
}

// restore copies a state, and reports whether it fits.
func (w *weighting) restore(s Weights) bool {
	if len(s.Quartets) != len(w.members.logWeight) || len(s.Powers) != len(powers) ||
		!kernel.Finite(slices.Concat(s.Quartets, s.Powers)...) {
		return false
	}
	copy(w.members.logWeight, s.Quartets)
	copy(w.powers.logWeight[:], s.Powers)
	w.normalise()
	return true
}

// normalise computes the weights from the log weights.
func (w *weighting) normalise() {
	w.members.normalise()
	w.powers.normalise()
}

// memberWeights are the means of the members' weights in mixtures of four members, repeats allowed: quartets.
// Each quartet is weighted by the probability that it gave to the classes. Over n examples the members with
// these weights predict within log(number of quartets)/n nats as well as the best quartet (Cover, "Universal
// portfolios", Mathematical Finance 1991).
type memberWeights struct {
	quartets  [][4]int
	logWeight []float64 // log weight of each quartet, the largest 0
	quartet   []float64 // weight of each quartet, 1 in total
	weight    []float64 // weight of each member, 1 in total
	p         []float64 // scratch space: probabilities of the class up to a factor
}

func newMemberWeights(members int) memberWeights {
	q, zeros := quartets(members), func(n int) []float64 { return make([]float64, n) }
	return memberWeights{q, zeros(len(q)), zeros(len(q)), zeros(members), zeros(members)}
}

// doubt halves the weight of quartets for each place of member k.
func (w *memberWeights) doubt(k int) {
	for i, q := range w.quartets {
		for _, member := range q {
			if member == k {
				w.logWeight[i] -= math.Ln2
			}
		}
	}
}

func quartets(members int) (list [][4]int) {
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

var smallest = kernel.Log(math.SmallestNonzeroFloat64)

// add updates the log weights by the log probabilities that the members gave the class of a weighted example.
// Zero and NaN count as the smallest positive number; quartets are raised to the floor.
func (w *memberWeights) add(logP []float64, weight, floor float64) {
	for k, x := range logP {
		logP[k] = atLeast(x, smallest)
	}
	top := slices.Max(logP)
	for k, x := range logP {
		w.p[k] = kernel.Exp(x - top)
	}
	for i, q := range w.quartets {
		step := logP[q[0]]
		if q[0] != q[3] {
			step = top + kernel.Log((w.p[q[0]]+w.p[q[1]]+w.p[q[2]]+w.p[q[3]])/4)
		}
		w.logWeight[i] += float64(weight * atLeast(step, floor))
	}
}

// atLeast returns the larger number, and the floor in place of NaN.
func atLeast(x, floor float64) float64 {
	if x >= floor {
		return x
	}
	return floor
}

func (w *memberWeights) normalise() {
	normalise(w.quartet, w.logWeight)
	clear(w.weight)
	for i, q := range w.quartets {
		for _, k := range q {
			w.weight[k] += w.quartet[i] / 4
		}
	}
}

// normalise makes the largest log weight 0, and sets the weights, 1 in total.
func normalise(weight, logWeight []float64) {
	floats.AddConst(-slices.Max(logWeight), logWeight)
	kernel.ExpAll(weight, logWeight)
	floats.Scale(1/kernel.Sum(weight), weight)
}
