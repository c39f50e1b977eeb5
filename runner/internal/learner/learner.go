// Package learner trains and scores classifiers: the closed-form network and the baselines. A [Method] is a
// table [[method]] of a manifest. Its keys are those of a [Model], the closed-form network, or of a baseline,
// which kinds.go lists. [Training] makes a [Classifier] of a method, chooses among its candidates, trains and
// scores it. [Learners] are the tables of a manifest about methods.
package learner

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/core/classifier"
	"closedform/core/features"
	"closedform/core/readout"
	"closedform/internal/kernel"
	"closedform/runner/dataset"
)

// Learner learns one example after another.
type Learner interface {
	Observe(x []float64, class int) error
	Predict(p, x []float64) error // sets p to the probabilities of the classes at x
}

// Classifier is a learner behind its features. After an error or overflow it stops learning, and predicts
// equal probabilities. It is not safe for concurrent use.
type Classifier struct {
	Learners []Learner // one learner, or the members of an ensemble of baselines
	Classes  int
	Map      *features.Map       // random features of the inputs; nil: the learners have the inputs themselves
	Scaling  *classifier.Scaling // scales the inputs along the stream; nil: they are not scaled so
	Err      error               // the error of the learner that failed; nil: none has failed
}

// NewClassifier returns a classifier without features.
func NewClassifier(l Learner, classes int) *Classifier {
	return &Classifier{Learners: []Learner{l}, Classes: classes}
}

// Observe learns an example.
func (c *Classifier) Observe(x []float64, class int) {
	if c.Err != nil {
		return
	}
	mapped, err := c.features([][]float64{x})
	for _, l := range c.Learners {
		if err == nil {
			err = l.Observe(mapped[0], class)
		}
	}
	if c.Err = err; c.Scaling != nil {
		c.Scaling.Observe(x)
	}
}

func (c *Classifier) features(x [][]float64) ([][]float64, error) {
	if c.Scaling != nil {
		scaled := matrix(len(x), len(x[0]))
		for i := range x {
			if err := c.Scaling.Scale(scaled[i], x[i]); err != nil {
				return nil, err
			}
		}
		x = scaled
	}
	if c.Map == nil {
		return x, nil
	}
	mapped := matrix(len(x), c.Map.Size)
	for i := range x {
		if err := c.Map.Standard(mapped[i], x[i]); err != nil {
			return nil, err
		}
	}
	return mapped, nil
}

func matrix(rows, columns int) [][]float64 {
	return slices.Collect(slices.Chunk(make([]float64, rows*columns), columns))
}

// Prediction is the prediction for one input.
type Prediction struct {
	P                 []float64
	Confidence        float64       // [bnn.Prediction.Confidence], or of a baseline the largest probability
	MutualInformation float64       // mutual information of label and member, in nats; NaN without an ensemble
	Members           [][]bnn.Layer // the layers of each member that has Gaussian weights
}

const atOnce = 16 // largest number of inputs in a call of predict

// PredictEach calls do with each prediction, until the learner fails or do returns an error, which counts as
// a failure. x is the input, or its features if there is a map.
func (c *Classifier) PredictEach(
	e *dataset.Examples, do func(i int, x []float64, p Prediction) error,
) (ok bool) {
	for first := 0; first < e.Len() && c.Err == nil; first += atOnce {
		var x [][]float64
		var predictions []Prediction
		x, predictions, c.Err = c.predict(e.Set(first, min(first+atOnce, e.Len())).X, false)
		for i, p := range predictions {
			if err := do(first+i, x[i], p); err != nil {
				c.Err = err
				break
			}
		}
	}
	return c.Err == nil
}

// Test returns the predictions and classes of all examples: equal probabilities for all if the learner fails.
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

// PredictNext returns the prediction of the next example of the stream.
func (c *Classifier) PredictNext(x []float64) Prediction {
	if c.Err == nil {
		var p []Prediction
		if _, p, c.Err = c.predict([][]float64{x}, true); c.Err == nil {
			return p[0]
		}
	}
	return Prediction{P: Equal(1, c.Classes)[0], Confidence: 1 / float64(c.Classes)}
}

// Equal returns n rows of equal probabilities.
func Equal(n, classes int) [][]float64 {
	return slices.Repeat([][]float64{slices.Repeat([]float64{1 / float64(classes)}, classes)}, n)
}

// predict returns the features of at most atOnce inputs, and the predictions up to the first error. The
// prediction of an ensemble is the mean of its members' predictions.
func (c *Classifier) predict(x [][]float64, next bool) (mapped [][]float64, mean []Prediction, err error) {
	if mapped, err = c.features(x); err != nil {
		return nil, nil, err
	}
	if n := c.Network(); n != nil {
		mean, err = n.predict(mapped, next)
		return mapped, mean, err
	}
	q, sum, weight := matrix(len(x), c.Classes), matrix(len(x), c.Classes), 1/float64(len(c.Learners))
	mean = make([]Prediction, len(x))
	for _, l := range c.Learners {
		layers, err := predictAll(l, q, mapped)
		if err != nil {
			return nil, nil, err
		}
		for i := range mean {
			p := &mean[i]
			p.P = sum[i]
			floats.AddScaled(p.P, weight, q[i])
			p.MutualInformation += weight * kernel.Entropy(q[i], 1)
			if layers != nil {
				p.Members = append(p.Members, layers[i])
			}
		}
	}
	for i := range mean {
		p := &mean[i]
		p.Confidence = floats.Max(p.P)
		p.MutualInformation = max(0, kernel.Entropy(p.P, 1)-p.MutualInformation)
		if len(c.Learners) == 1 {
			p.MutualInformation = math.NaN()
		}
	}
	return mapped, mean, nil
}

// Network returns the closed-form network, or nil for another method.
func (c *Classifier) Network() *Network {
	n, _ := c.Learners[0].(*Network)
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

// Model returns the model of a closed-form method, including its features.
func (c *Classifier) Model() bnn.Model {
	m := c.Network().Model
	if c.Map != nil {
		return features.Model{Map: c.Map, Model: m}
	}
	return m
}

// Predictor returns the predictor of a closed-form method for any inputs, including its features.
func (c *Classifier) Predictor() bnn.Predictor {
	p := c.Network().Predictor()
	if c.Map != nil {
		return features.Predictor{Map: c.Map, Predictor: p}
	}
	return p
}
