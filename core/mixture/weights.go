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

// normalise computes the weights from the log weights.
func (w *weighting) normalise() {
	w.members.normalise()
	w.powers.normalise()
}

func (w *weighting) clone() *weighting {
	c := newWeighting(len(w.members.weight))
	copy(c.members.logWeight, w.members.logWeight)
	copy(c.powers.logWeight[:], w.powers.logWeight[:])
	c.normalise()
	return c
}

// FixedShare is the share of the weights for the next example that each example distributes equally, so that
// the best member may change (fixed share: Herbster and Warmuth, "Tracking the best expert", Machine Learning
// 1998). These weights have no logarithms.
const FixedShare = 0.0002

// distribute makes the weights (1 − share)·weight/sum + share/number.
func distribute(weight []float64, share float64) {
	floats.Scale((1-share)/kernel.Sum(weight), weight)
	floats.AddConst(share/float64(len(weight)), weight)
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
	top := w.relative(logP)
	for i, q := range w.quartets {
		step := logP[q[0]]
		if q[0] != q[3] {
			step = top + kernel.Log(w.mean(q))
		}
		w.logWeight[i] += float64(weight * atLeast(step, floor))
	}
}

// follow multiplies the weights by the probabilities, and distributes the fixed share.
func (w *memberWeights) follow(logP []float64, share float64) {
	w.relative(logP)
	for i, q := range w.quartets {
		w.quartet[i] *= w.mean(q)
	}
	distribute(w.quartet, share)
	w.average()
}

// relative sets p_k to exp(logP_k − max logP), and returns max logP.
func (w *memberWeights) relative(logP []float64) (top float64) {
	for k, x := range logP {
		logP[k] = atLeast(x, smallest)
	}
	top = slices.Max(logP)
	for k, x := range logP {
		w.p[k] = kernel.Exp(x - top)
	}
	return top
}

func (w *memberWeights) mean(q [4]int) float64 {
	return (w.p[q[0]] + w.p[q[1]] + w.p[q[2]] + w.p[q[3]]) / 4
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
	w.average()
}

// average sets the weights of the members to their means over the quartets.
func (w *memberWeights) average() {
	clear(w.weight)
	for i, q := range w.quartets {
		u := w.quartet[i] / 4
		for _, k := range q {
			w.weight[k] += u
		}
	}
}

// normalise makes the largest log weight 0, and sets the weights, 1 in total.
func normalise(weight, logWeight []float64) {
	floats.AddConst(-slices.Max(logWeight), logWeight)
	kernel.ExpAll(weight, logWeight)
	floats.Scale(1/kernel.Sum(weight), weight)
}
