// Package learner trains whatever learns to classify from examples, the closed-form network of a manifest and
// the baselines, and scores it. To read it, begin with
//
//	method.go    Method, a table [[method]] of a manifest
//	kinds.go     the kinds of baselines, a line each; baseline.go makes learners of them
//	model.go     Model, the keys of the closed-form network; network.go makes a learner of it
//	learner.go   Classifier, what studies train and ask for predictions
//	training.go  Training, the loop that chooses among candidates, trains and scores
//	tables.go    Learners, the part of a manifest about methods: sweeps, and what a study allows
package learner

import (
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/core/features"
	"closedform/core/readout"
	"closedform/internal/kernel"
	"closedform/runner/dataset"
	"closedform/runner/internal/engine"
)

// Learner learns one example after another.
type Learner interface {
	Observe(x []float64, class int) error
	Predict(p, x []float64) error // sets p to the probabilities of the classes at x
}

// Classifier is a learner behind its features. When the learner breaks down, at an example that it refuses or
// a number that overflows, it learns no more, and predicts equal probabilities. It is not safe for concurrent
// use.
type Classifier struct {
	Learner Learner
	Classes int
	Map     *features.Map // of the inputs; nil: the learner has the inputs
	Err     error         // why the learner broke down; nil: it has not

	others         []Learner       // of an ensemble of baselines, beside Learner
	ctx            context.Context // of the task
	inputs, mapped [][]float64     // the latest inputs, and their features
}

// NewClassifier returns a classifier of so many classes without features.
func NewClassifier(l Learner, classes int) *Classifier {
	return &Classifier{Learner: l, Classes: classes}
}

// record marks the learner as broken down if err is not nil. The failure of another program is no property of
// the method, and ends the task.
func (c *Classifier) record(err error) {
	if err == nil {
		return
	}
	c.Err = err
	var failure interface {
		error
		Failure()
	}
	if errors.As(err, &failure) {
		engine.Fail(c.ctx, failure)
	}
}

// Observe learns an example.
func (c *Classifier) Observe(x []float64, class int) {
	if c.Err != nil {
		return
	}
	mapped, err := c.features([][]float64{x})
	for _, l := range c.learners() {
		if err == nil {
			err = l.Observe(mapped[0], class)
		}
	}
	c.record(err)
}

// features returns the features of the inputs, or without a map the inputs, until the next call.
func (c *Classifier) features(x [][]float64) ([][]float64, error) {
	if c.Map == nil {
		return x, nil
	}
	for i, x := range x {
		if i == len(c.inputs) {
			c.inputs, c.mapped = append(c.inputs, nil), append(c.mapped, make([]float64, c.Map.Size))
		}
		if slices.Equal(x, c.inputs[i]) { // it was predicted just before
			continue
		}
		c.inputs[i] = append(c.inputs[i][:0], x...)
		if err := c.Map.Standard(c.mapped[i], x); err != nil {
			return nil, err
		}
	}
	return c.mapped[:len(x)], nil
}

// Prediction is that of one input.
type Prediction struct {
	P                 []float64
	MutualInformation float64       // of the label and the member, in nats; NaN if the learner has no members
	Members           [][]bnn.Layer // of each member; nil if it has no layers of Gaussian weights
}

// atOnce is how many inputs are predicted at once: with more of them the weights need not be read much less
// often, and what flows through the network outgrows the caches.
const atOnce = 16

// PredictEach calls do with the prediction of each example, until the learner breaks down or do returns an
// error, which is a break-down, too. x is the input, or its features if there is a map, until the next call.
func (c *Classifier) PredictEach(
	e *dataset.Examples, do func(i int, x []float64, p Prediction) error,
) (ok bool) {
	several := atOnce
	if c.Network() != nil {
		several = 1 // as it would predict several one after another, and layers are large
	}
	for first := 0; first < e.Len() && c.Err == nil; first += several {
		x, err := c.features(e.Set(first, min(first+several, e.Len())).X)
		var predictions []Prediction
		if err == nil {
			predictions, err = c.predict(x)
		}
		for i, p := range predictions {
			if failed := do(first+i, x[i], p); failed != nil {
				err = failed
				break
			}
		}
		c.record(err)
	}
	return c.Err == nil
}

// Test returns the predictions of all examples, and their classes. If the learner breaks down over one of
// them, all are equal probabilities.
func (c *Classifier) Test(e *dataset.Examples) (p [][]float64, class []int) {
	for i := range e.Len() {
		class = append(class, e.Class(i))
	}
	if !c.PredictEach(e, func(_ int, _ []float64, one Prediction) error {
		p = append(p, one.P)
		return nil
	}) {
		p = Equal(e.Len(), c.Classes)
	}
	return p, class
}

// Probabilities returns the predictions at all inputs, as Test does.
func (c *Classifier) Probabilities(inputs [][]float64) [][]float64 {
	p, _ := c.Test(dataset.NewExamples(dataset.Set{X: inputs, Class: make([]int, len(inputs))}, c.Classes))
	return p
}

// PredictNext returns the prediction of an example that is learned next, see [bnn.Sequential].
func (c *Classifier) PredictNext(x []float64) []float64 {
	n := c.Network()
	if n == nil || c.Err != nil {
		return c.Probabilities([][]float64{x})[0]
	}
	p := make([]float64, c.Classes)
	mapped, err := c.features([][]float64{x})
	if err == nil {
		err = n.Before(p, mapped[0])
	}
	if c.record(err); err != nil {
		return Equal(1, c.Classes)[0]
	}
	return p
}

// Equal returns n times equal probabilities for all classes.
func Equal(n, classes int) [][]float64 {
	return slices.Repeat([][]float64{slices.Repeat([]float64{1 / float64(classes)}, classes)}, n)
}

// predict returns the predictions of at most atOnce inputs, up to the first error: of baselines the means of
// the members' predictions.
func (c *Classifier) predict(x [][]float64) ([]Prediction, error) {
	if n := c.Network(); n != nil {
		return n.predict(x[0])
	}
	members := c.learners()
	q, mean, weight := make([][]float64, len(x)), make([]Prediction, len(x)), 1/float64(len(members))
	for i := range mean {
		q[i], mean[i].P = make([]float64, c.Classes), make([]float64, c.Classes)
	}
	for _, m := range members {
		layers, err := predictAll(m, q, x)
		if err != nil {
			return nil, err
		}
		for i := range mean {
			p := &mean[i]
			floats.AddScaled(p.P, weight, q[i])
			p.MutualInformation += weight * kernel.Entropy(q[i], 1)
			if layers != nil {
				p.Members = append(p.Members, layers[i])
			}
		}
	}
	for i := range mean {
		p := &mean[i]
		p.MutualInformation = max(0, kernel.Entropy(p.P, 1)-p.MutualInformation)
		if len(members) == 1 {
			p.MutualInformation = math.NaN()
		}
	}
	return mean, nil
}

// learners returns the members of an ensemble of baselines, or the only learner.
func (c *Classifier) learners() []Learner { return append([]Learner{c.Learner}, c.others...) }

// Network returns the closed-form network that learns, nil if it is another method.
func (c *Classifier) Network() *Network {
	n, _ := c.Learner.(*Network)
	return n
}

// Readout returns the output layer of a closed-form method with the key output, else nil.
func (c *Classifier) Readout() *readout.Layer {
	if n := c.Network(); n != nil {
		l, _ := n.Model.(*readout.Layer)
		return l
	}
	return nil
}

// Model returns the model of a closed-form method, behind its features if it has some.
func (c *Classifier) Model() bnn.Model {
	m := c.Network().Model
	if c.Map != nil {
		return features.Model{Map: c.Map, Model: m}
	}
	return m
}
