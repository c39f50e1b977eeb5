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

// memberWeights are the means of the members' weights in mixtures of four members, repeats allowed: quartets.
// Each quartet is weighted by the probability that it gave to the classes. Over n examples the members with
// these weights predict within log(number of quartets)/n nats as well as the best quartet (Cover, "Universal
// portfolios", Mathematical Finance 1991).
type memberWeights struct {
	quartets  [][4]int
	logWeight []float64 // log weight of each quartet, the largest 0
	weight    []float64 // weight of each member, 1 in total
	p         []float64 // scratch space: probabilities of the class up to a factor
}

func newMemberWeights(members int) memberWeights {
	q := quartets(members)
	return memberWeights{q, make([]float64, len(q)), make([]float64, members), make([]float64, members)}
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
	floats.AddConst(-slices.Max(w.logWeight), w.logWeight)
	clear(w.weight)
	for i, q := range w.quartets {
		u := kernel.Exp(w.logWeight[i])
		for _, k := range q {
			w.weight[k] += u
		}
	}
	floats.Scale(1/kernel.Sum(w.weight), w.weight)
}
