// Package classifier is a classifier that learns one example after another and has nothing to tune. A first
// program:
//
//	c, err := classifier.New(classifier.Options{Inputs: 2, Classes: 3}, random.Source("my program"))
//	...
//	for each example {
//		err = c.Learn(x, class)
//	}
//	var p classifier.Prediction
//	err = c.Predict(&p, []float64{0.5, 1.5})
//	fmt.Println(p.Class, p.P, p.Familiarity) // Class is −1, Unknown, far from all that was learned
//
// It is a [bnn.Bank] of several models, each of which learns in closed form,
//
//	p(y|x) = Σ_k w_k p_k(y|x),
//
// weighted by how they predicted each example before they learned it. Beside the bank a [Classifier] keeps
// two things that tell when not to trust it: the distribution of the inputs, see [familiar.Inputs], and how often
// the bank was wrong before it learned, see [History.Threshold].
//
// Scale the inputs so that each has mean 0 and variance 1 or so. Classes are numbers from 0.
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

// Unknown is the class of an input that is not answered.
const Unknown = bnn.Unknown

// Options describe a classifier. Inputs and Classes must be given.
type Options struct {
	Inputs  int   // numbers of an input
	Classes int   // 2 or more; AddClass adds others
	Hidden  []int // sizes of the hidden layers of the networks; nil: one of 50 units
	Images  bool  // inputs are the pixels of square grey images, row after row
}

// Decision says when an input is answered. The zero value answers all.
type Decision struct {
	Probability float64 `json:"probability"` // least probability of the most probable class
	Familiarity float64 `json:"familiarity"` // least Familiarity
}

// DefaultFamiliarity is the least familiarity that is answered unless [Classifier.Decision] says otherwise.
const DefaultFamiliarity = 0.001

// Classifier is a model, as a rule the default one, with what it knows of its inputs and of its errors.
// Predict may be called by several goroutines at once, each with its own prediction; the other methods
// need the classifier for themselves.
type Classifier struct {
	// Decision says when an input is answered. That of New is {0, DefaultFamiliarity}.
	Decision Decision

	// Note is a JSON value of the program's own, such as the names of the classes. It is saved.
	Note json.RawMessage

	History

	model   bnn.Model
	latest  struct{ x, p []float64 } // of Before, until an example is learned
	scratch Prediction
}

// New returns a classifier that has learned nothing. Its random numbers are drawn from src; a nil one panics.
// An error names the sizes of the layers, which are those of the options.
func New(o Options, src rand.Source) (*Classifier, error) {
	if o.Hidden == nil {
		o.Hidden = []int{50}
	}
	layers := slices.Concat([]int{o.Inputs}, o.Hidden, []int{o.Classes})
	m, err := NewBank(bnn.Default(layers...), o.Images, src)
	if err != nil {
		return nil, fmt.Errorf("classifier: %w", err)
	}
	return From(m, NewHistory(o.Inputs)), nil
}

// From returns a classifier of any model, such as a network or an output layer, which belongs to it from now
// on. The history, which belongs to it too, is that of the examples that the model has learned.
func From(m bnn.Model, h *History) *Classifier {
	d := Decision{Familiarity: DefaultFamiliarity}
	return &Classifier{Decision: d, History: *h, model: m}
}

// Model returns the model. Changing it changes the classifier.
func (c *Classifier) Model() bnn.Model { return c.model }

// AddClass adds a class behind the others. It learns like them, from some tens of examples.
func (c *Classifier) AddClass() error {
	c.latest.x = nil
	return c.model.AddClass()
}

// Learn predicts x, learns x and its class, and records whether the prediction was right, for
// [History.Threshold]. Learn each example once: the record of a second pass is too good. After an error
// nothing has changed.
func (c *Classifier) Learn(x []float64, class int) error {
	if !slices.Equal(c.latest.x, x) {
		_ = c.Before(&c.scratch, x) // Observe says what is wrong; if nothing is, p is NaN and does not count
	}
	if _, err := c.model.Observe(x, class); err != nil {
		return err
	}
	c.latest.x = nil
	c.History.Add(x, c.latest.p, class)
	return nil
}

// Prediction is the prediction for one input. Predicting into it again overwrites its slices.
type Prediction struct {
	Class       int       // the most probable class, or Unknown by the Decision
	P           []float64 // probabilities of the classes, 1 in total
	Familiarity float64   // a p-value of the hypothesis that the input is like those that were learned

	// Details has the parts of the variance of the label ([bnn.Prediction.LabelVariance]), the mutual
	// information of label and member, and the most probable class, answered or not.
	Details bnn.Prediction
}

// Predict sets dst to the prediction for x. After an error, such as an input that is not finite, the class is
// Unknown and the numbers are NaN. An output layer solves at the first prediction after an example, which
// takes milliseconds: along a stream use [Classifier.Before].
func (c *Classifier) Predict(dst *Prediction, x []float64) error {
	return c.predict(dst, x, c.model.Predict(&dst.Details, x), c.model)
}

// Before sets dst to the prediction for an x that may be learned next. It is quick after each example. The
// probabilities of an output layer differ a little from those of Predict, and the Familiarity is that of the
// distribution of the inputs alone.
func (c *Classifier) Before(dst *Prediction, x []float64) error {
	predict := c.model.Predict
	if m, ok := c.model.(bnn.Sequential); ok {
		predict = m.Before
	}
	err := c.predict(dst, x, predict(&dst.Details, x), nil)
	c.latest.x, c.latest.p = append(c.latest.x[:0], x...), append(c.latest.p[:0], dst.P...)
	return err
}

// predict sets the rest of dst after the model has predicted the details with an error or none. The
// familiarity is also by the model that knows inputs, if any.
func (c *Classifier) predict(dst *Prediction, x []float64, err error, knows bnn.Model) error {
	dst.P = append(dst.P[:0], dst.Details.P...)
	if dst.Class, dst.Familiarity = Unknown, math.NaN(); err != nil {
		return err
	}
	floats.Scale(1/dst.Details.Sum(), dst.P)
	best := dst.Details.Class()
	dst.Familiarity = c.familiarity(knows, x, best)
	if dst.Familiarity >= c.Decision.Familiarity && dst.P[best] >= c.Decision.Probability {
		dst.Class = best
	}
	return nil
}
