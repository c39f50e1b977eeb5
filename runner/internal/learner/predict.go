package learner

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/internal/kernel"
)

// Examples are inputs with their classes, from 0.
type Examples interface {
	Len() int
	Inputs() int
	Input(dst []float64, i int) // sets dst to input i
	Class(i int) int
}

// Prediction is that of one input.
type Prediction struct {
	P                 []float64
	MutualInformation float64       // of the label and the member, in nats; NaN if the learner has no members
	Members           [][]bnn.Layer // of each member; nil if it has no layers of Gaussian weights
}

// atOnce is how many inputs are predicted at once: with more of them the weights need not
// be read much less often, and what flows through the network outgrows the caches.
const atOnce = 16

// PredictEach calls do with the prediction of each example, until the learner breaks down or do returns an
// error, which is a break-down, too. x is what the learner sees, until the next call: the features of the input,
// if there is a map.
func (c *Classifier) PredictEach(e Examples, do func(i int, x []float64, p Prediction) error) (ok bool) {
	several := atOnce
	if c.Network() != nil && c.Readout() == nil {
		several = 1 // as it would predict several one after another, and layers are large
	}
	room := make([][]float64, min(several, e.Len()))
	for i := range room {
		room[i] = make([]float64, e.Inputs())
	}
	for first := 0; first < e.Len() && c.Err == nil; first += several {
		x := room[:min(several, e.Len()-first)]
		for i := range x {
			e.Input(x[i], first+i)
		}
		x, all, err := c.predict(x)
		for i, p := range all {
			if failed := do(first+i, x[i], p); failed != nil {
				err = failed
				break
			}
		}
		c.record(err)
	}
	return c.Err == nil
}

// Test returns the predictions of all examples, and their classes. Where the learner
// breaks down over one, all are equal probabilities.
func (c *Classifier) Test(e Examples) (p [][]float64, class []int) {
	for i := range e.Len() {
		class = append(class, e.Class(i))
	}
	if !c.PredictEach(e, func(_ int, _ []float64, of Prediction) error {
		p = append(p, of.P)
		return nil
	}) {
		p = Equal(e.Len(), c.Classes)
	}
	return p, class
}

// Probabilities returns the predictions at all inputs. If the learner breaks down
// over one of them, all are equal probabilities.
func (c *Classifier) Probabilities(inputs [][]float64) [][]float64 {
	p, _ := c.Test(unlabelled(inputs))
	return p
}

// unlabelled are inputs as examples.
type unlabelled [][]float64

func (u unlabelled) Len() int                   { return len(u) }
func (u unlabelled) Inputs() int                { return len(u[0]) }
func (u unlabelled) Input(dst []float64, i int) { copy(dst, u[i]) }
func (u unlabelled) Class(int) int              { return 0 }

// PredictNext returns the prediction of an example that is learned next, see Before of [bnn.Model].
func (c *Classifier) PredictNext(x []float64) []float64 {
	n := c.Network()
	if n == nil || c.Err != nil {
		return c.Probabilities([][]float64{x})[0]
	}
	mapped, err := c.features([][]float64{x})
	if err == nil {
		err = n.Model.Before(&n.several[0], mapped[0])
	}
	if c.record(err); err != nil {
		return Equal(1, c.Classes)[0]
	}
	return normalised(&n.several[0])
}

// Equal returns n times equal probabilities for all classes.
func Equal(n, classes int) [][]float64 {
	return slices.Repeat([][]float64{slices.Repeat([]float64{1 / float64(classes)}, classes)}, n)
}

// predict returns what the learner sees of the inputs, at most atOnce, and their predictions up to the first error.
func (c *Classifier) predict(x [][]float64) (mapped [][]float64, all []Prediction, err error) {
	if mapped, err = c.features(x); err != nil {
		return nil, nil, err
	}
	switch l := c.Learner.(type) {
	case *Network:
		all, err = l.predict(mapped)
	case *Ensemble:
		all, err = mean(l.Members, c.Classes, mapped)
	default:
		all, err = mean([]Learner{l}, c.Classes, mapped)
	}
	return mapped, all, err
}

// mean returns the means of the members' predictions of each input.
func mean(members []Learner, classes int, x [][]float64) ([]Prediction, error) {
	q, all := make([][]float64, len(x)), make([]Prediction, len(x))
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
			p := &all[i]
			floats.AddScaled(p.P, weight, q[i])
			p.MutualInformation += weight * kernel.Entropy(q[i], 1)
			if layers != nil {
				p.Members = append(p.Members, layers[i])
			}
		}
	}
	for i := range all {
		p := &all[i]
		p.MutualInformation = max(0, kernel.Entropy(p.P, 1)-p.MutualInformation)
		if len(members) == 1 {
			p.MutualInformation = math.NaN()
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
