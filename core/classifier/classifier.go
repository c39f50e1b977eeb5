// Package classifier is a classifier that learns one example after another and has nothing to tune:
//
//	c, err := classifier.New(classifier.Options{Inputs: 2, Classes: 3}, random.Source("my program"))
//	err = c.Learn([]float64{0.5, 1.5}, 0) // each example: its inputs, and its class from 0
//	var p classifier.Prediction
//	err = c.Predict(&p, []float64{0.5, 1.5})
//	fmt.Println(p.Class, p.P, p.Familiarity) // Class is −1, Unknown, far from all that was learned
//
// Its model is a [mixture.Mixture] of several models, p(y|x) = Σ_k w_k p_k(y|x), each of which learns in
// closed form and is weighted by its predictions of each example before learning it. A [Classifier] also
// keeps the distribution of the inputs, see [familiar.Inputs], and how often the mixture was wrong before it
// learned, see [History.Threshold]. Scale each input to a mean near 0 and a variance near 1.
package classifier

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
)

// Unknown is the class of an input that is not classified.
const Unknown = bnn.Unknown

// Options describe a classifier. Inputs and Classes are required.
type Options struct {
	Inputs  int   // length of an input
	Classes int   // 2 or more; AddClass adds more
	Hidden  []int // sizes of the hidden layers of the networks; nil: one of 50 units
	Images  bool  // inputs are the pixels of square grey images, row after row
}

// Decision says which inputs are classified. The zero value classifies all.
type Decision struct {
	Probability float64 `json:"probability"`         // smallest probability of the most probable class
	Confidence  float64 `json:"confidence,omitzero"` // smallest Prediction.Confidence
	Familiarity float64 `json:"familiarity"`         // smallest Prediction.Familiarity
}

// DefaultFamiliarity is the smallest familiarity that [New] classifies.
const DefaultFamiliarity = 0.001

// Classifier is a model, usually the default mixture, with a record of its inputs and errors. Predict is safe
// for concurrent use, each call with its own Prediction; the other methods are not.
type Classifier struct {
	// Decision says which inputs are classified. New sets its Familiarity to DefaultFamiliarity.
	Decision Decision

	// Note is a JSON value of the calling program, such as the names of the classes. It is saved.
	Note json.RawMessage

	History

	model   bnn.Model
	latest  latest
	scratch Prediction
}

// latest is the last input of Before, until an example is learned, with its most probable class.
type latest struct {
	x          []float64
	class      int
	confidence float64
}

// New returns an untrained classifier with random numbers from src; a nil src panics. An error names the
// layer sizes, which follow from the options.
func New(o Options, src rand.Source) (*Classifier, error) {
	if o.Hidden == nil {
		o.Hidden = []int{50}
	}
	layers := slices.Concat([]int{o.Inputs}, o.Hidden, []int{o.Classes})
	m, err := NewMixture(bnn.Default(layers...), o.Images, src)
	if err != nil {
		return nil, fmt.Errorf("classifier: %w", err)
	}
	return From(m, NewHistory(o.Inputs)), nil
}

// From returns a classifier of any model, such as a network or an output layer, and the history of the
// examples that the model has learned. The classifier takes over both.
func From(m bnn.Model, h *History) *Classifier {
	d := Decision{Familiarity: DefaultFamiliarity}
	return &Classifier{Decision: d, History: *h, model: m}
}

// Model returns the model. Changing it changes the classifier.
func (c *Classifier) Model() bnn.Model { return c.model }

// AddClass adds a class after the others. A class takes some tens of examples to learn.
func (c *Classifier) AddClass() error {
	c.latest.x = nil
	return c.model.AddClass()
}

// Learn predicts x, learns x and its class, and records whether the prediction was right. Learn each example
// once: a second pass would record too few errors. An error changes nothing.
func (c *Classifier) Learn(x []float64, class int) error {
	if !slices.Equal(c.latest.x, x) {
		_ = c.Before(&c.scratch, x) // Observe reports invalid examples; for other errors p is NaN and not recorded
	}
	if _, err := c.model.Observe(x, class); err != nil {
		return err
	}
	c.latest.x = nil
	c.History.Add(x, c.latest.confidence, c.latest.class != class)
	return nil
}

// Prediction is the prediction for one input. Predicting into it again overwrites its slices.
type Prediction struct {
	Class       int       // the most probable class, or Unknown by the Decision
	P           []float64 // probabilities of the classes, 1 in total
	Confidence  float64   // confidence in the class, see [bnn.Prediction.Confidence]
	Familiarity float64   // p-value of the hypothesis that the input is like the learned ones

	// Details has the parts of the label variance ([bnn.Prediction.LabelVariance]), the mutual information of
	// label and member, and the most probable class even if Class is Unknown.
	Details bnn.Prediction
}

// Predict sets dst to the prediction for x. After an error, such as an input that is not finite, the class is
// Unknown and the numbers are NaN. The first prediction of an output layer after an example takes
// milliseconds for a solve: along a stream use [Classifier.Before].
func (c *Classifier) Predict(dst *Prediction, x []float64) error {
	return c.predict(dst, x, c.model.Predict(&dst.Details, x), c.model)
}

// Before sets dst to the prediction for an x that may be learned next, and is fast after each example. For an
// output layer P differs slightly from Predict, and Familiarity ignores the layer.
func (c *Classifier) Before(dst *Prediction, x []float64) error {
	predict := c.model.Predict
	if m, ok := c.model.(bnn.Sequential); ok {
		predict = m.Before
	}
	err := c.predict(dst, x, predict(&dst.Details, x), nil)
	c.latest = latest{append(c.latest.x[:0], x...), dst.Details.Class(), dst.Confidence}
	return err
}

// predict completes dst from its details. If knows is an output layer, its p-value enters the familiarity.
func (c *Classifier) predict(dst *Prediction, x []float64, err error, knows bnn.Model) error {
	dst.P = append(dst.P[:0], dst.Details.P...)
	dst.Class, dst.Confidence, dst.Familiarity = Unknown, dst.Details.Confidence(), math.NaN()
	if err != nil {
		return err
	}
	floats.Scale(1/dst.Details.Sum(), dst.P)
	best := dst.Details.Class()
	dst.Familiarity = c.familiarity(knows, x, best)
	d := c.Decision
	if dst.Familiarity >= d.Familiarity && dst.Confidence >= d.Confidence && dst.P[best] >= d.Probability {
		dst.Class = best
	}
	return nil
}
