package learner

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/internal/kernel"
)

// Answer is what a learner says of one input.
type Answer struct {
	P                 []float64
	MutualInformation float64       // of the label and the member, in nats; NaN if the learner has no members
	Members           [][]bnn.Layer // of each member; nil if it has no layers of Gaussian weights
}

// Look has see look at the answers about all examples, one after another, unless the
// learner breaks down before or see returns an error, which is a break-down, too. x is what the
// learner sees, until the next call: the features of the input, if there is a map.
func (t *Tolerant) Look(e Examples, see func(i int, x []float64, a Answer) error) (ok bool) {
	several := atOnce
	if networkOf(t) != nil && t.Readout() == nil {
		several = 1 // as it would predict several one after another, and layers are large
	}
	room := make([][]float64, min(several, e.Len()))
	for i := range room {
		room[i] = make([]float64, e.Inputs())
	}
	for first := 0; first < e.Len() && !t.failed; first += several {
		x := room[:min(several, e.Len()-first)]
		for i := range x {
			e.Input(x[i], first+i)
		}
		x, answers, err := t.answers(x)
		for i, a := range answers {
			if failed := see(first+i, x[i], a); failed != nil {
				err = failed
				break
			}
		}
		t.note(err)
	}
	return !t.failed
}

// Test returns the predictions of all examples, and their classes. Where the learner
// breaks down over one, all are equal probabilities.
func (t *Tolerant) Test(e Examples) (p [][]float64, class []int) {
	for i := range e.Len() {
		class = append(class, e.Class(i))
	}
	if !t.Look(e, func(_ int, _ []float64, a Answer) error {
		p = append(p, a.P)
		return nil
	}) {
		p = Equal(e.Len(), t.Classes)
	}
	return p, class
}

// Probabilities returns the predictions at all inputs. If the learner breaks down
// over one of them, all are equal probabilities.
func (t *Tolerant) Probabilities(inputs [][]float64) [][]float64 {
	p, _ := t.Test(unlabelled(inputs))
	return p
}

// unlabelled are inputs as examples.
type unlabelled [][]float64

func (u unlabelled) Len() int                   { return len(u) }
func (u unlabelled) Inputs() int                { return len(u[0]) }
func (u unlabelled) Input(dst []float64, i int) { copy(dst, u[i]) }
func (u unlabelled) Class(int) int              { return 0 }

// Before returns the prediction of an example that is learned next, see [bnn.Model].
func (t *Tolerant) Before(x []float64) []float64 {
	n := networkOf(t)
	if n == nil || t.failed {
		return t.Probabilities([][]float64{x})[0]
	}
	seen, err := t.see([][]float64{x})
	if err == nil {
		err = n.Model.Before(&n.several[0], seen[0])
	}
	if t.failed = err != nil; t.failed {
		return Equal(1, t.Classes)[0]
	}
	return normalised(&n.several[0])
}

// atOnce is how many inputs are predicted at once: with more of them the weights need not
// be read much less often, and what flows through the network outgrows the caches.
const atOnce = 16

// answers returns what the learner sees of at most so many inputs, and the answers about them up to the first error.
func (t *Tolerant) answers(x [][]float64) (seen [][]float64, all []Answer, err error) {
	if seen, err = t.see(x); err != nil {
		return nil, nil, err
	}
	switch l := t.Learner.(type) {
	case *Network:
		all, err = l.answers(seen)
	case *Ensemble:
		all, err = mean(l.Members, t.Classes, seen)
	default:
		all, err = mean([]Learner{l}, t.Classes, seen)
	}
	return seen, all, err
}

// mean returns the means of the members' answers about each input.
func mean(members []Learner, classes int, x [][]float64) ([]Answer, error) {
	q, all := make([][]float64, len(x)), make([]Answer, len(x))
	for i := range all {
		q[i], all[i].P = make([]float64, classes), make([]float64, classes)
	}
	weight := 1 / float64(len(members))
	for _, m := range members {
		layers, err := predictAll(m, q, x)
		if err != nil {
			return nil, err
		}
		for i := range all {
			a := &all[i]
			floats.AddScaled(a.P, weight, q[i])
			a.MutualInformation += weight * kernel.Entropy(q[i], 1)
			if layers != nil {
				a.Members = append(a.Members, layers[i])
			}
		}
	}
	for i := range all {
		a := &all[i]
		a.MutualInformation = max(0, kernel.Entropy(a.P, 1)-a.MutualInformation)
		if len(members) == 1 {
			a.MutualInformation = math.NaN()
		}
	}
	return all, nil
}

// predictAll sets p_i to the prediction of a baseline at x_i, for all inputs, and returns what its
// layers have made of each, if it has a method for that: predicting several inputs at once pays
// where the weights are larger than the caches.
func predictAll(l Predictor, p, x [][]float64) ([][]bnn.Layer, error) {
	if b, ok := l.(interface {
		PredictAll(p, x [][]float64) ([][]bnn.Layer, error)
	}); ok {
		return b.PredictAll(p, x)
	}
	for i := range x {
		if err := l.Predict(p[i], x[i]); err != nil {
			return nil, err
		}
	}
	return nil, nil
}
