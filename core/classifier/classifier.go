// Package classifier is a classifier that learns one example after another and has nothing to tune:
//
//	c, err := classifier.New(classifier.Options{Inputs: 2, Classes: 3}, random.Source("my program"))
//	err = c.Learn([]float64{0.5, 1.5}, 0) // each example: its inputs, and its class from 0
//
// It answers two questions. What is the next label of this stream, which may change?
//
//	var p classifier.Prediction
//	err = c.Predict(&p, []float64{0.5, 1.5}) // as quick as Learn, also while another goroutine learns
//	fmt.Println(p.Class, p.P, p.Familiarity) // Class is −1, Unknown, far from all that was learned
//
// And what is the label of any input like those learned, in whatever order they came?
//
//	s, err := c.Snapshot() // does not change
//	err = s.Predict(&p, []float64{0.5, 1.5})
//
// Its model is a [mixture.Mixture] of several models, p(y|x) = Σ_k w_k p_k(y|x), each of which learns in
// closed form and is weighted by its predictions of each example before learning it. Some of them follow a
// stream whose distribution changes. A [Classifier] also keeps the distribution of the inputs, see
// [familiar.Inputs], and how often the mixture was wrong before it learned, see [Classifier.Threshold]. Scale
// each input to a mean near 0 and a variance near 1, or set [Options].Scale.
//
// What the default costs, by go test -bench . ./core/classifier on two cores of an AMD EPYC, after 3,000
// examples (images: 1,000; 1,000 classes: 300):
//
//	classes  inputs        Learn    Snapshot  its Predict  Save    file
//	2        7             0.2 ms   0.2 s     0.06 ms      0.1 s   1.2 MB
//	10       64            0.6 ms   0.2 s     1.0 ms       0.2 s   6.5 MB
//	10       784 (images)  1.3 ms   0.4 s     0.5 ms       0.4 s   9.5 MB
//	100      20            1.4 ms   0.8 s     0.8 ms       0.2 s   8.3 MB
//	1,000    800           15 ms    2.2 s     9 ms         0.4 s   20 MB
package classifier

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/core/mixture"
	"closedform/internal/field"
)

// Unknown is the class of an input that is not classified.
const Unknown = bnn.Unknown

// Options describe a classifier. Inputs and Classes are required.
type Options struct {
	Inputs  int   // length of an input
	Classes int   // 2 or more; AddClass adds more
	Hidden  []int // sizes of the hidden layers of the networks; nil: one of 50 units
	Images  bool  // inputs are the pixels of square grey images, row after row

	// Scale scales each input along the stream, see [Scaling], for inputs whose ranges are not known before. It
	// is not for images, nor for examples sorted by class: the first class would be scaled differently.
	Scale bool
}

// Decision says which inputs are classified. The zero value classifies all.
type Decision struct {
	Probability float64 `json:"probability"`         // smallest probability of the most probable class
	Confidence  float64 `json:"confidence,omitzero"` // smallest Prediction.Confidence
	Familiarity float64 `json:"familiarity"`         // smallest Prediction.Familiarity
}

// DefaultFamiliarity is the smallest familiarity that [New] classifies.
const DefaultFamiliarity = 0.001

// Classifier is a model, usually the default mixture, with a record of its inputs and errors. Make one by
// [New], [From] or [Load]. Its methods, but for Model, are safe for concurrent use, each call with its own
// Prediction: a lock makes them wait for each other. Changes of fields or of the model are not.
type Classifier struct {
	// Decision says which inputs are classified. New sets its Familiarity to DefaultFamiliarity.
	Decision Decision

	// Note is a JSON value of the calling program, such as the names of the classes. It is saved.
	Note json.RawMessage

	History

	mu       sync.Mutex
	model    bnn.Model
	scaled   []float64  // scratch space: the scaled input
	latest   []float64  // the last input that was predicted, until an example is learned
	forecast forecast   // its prediction
	scratch  Prediction // predictions of Learn
}

// lock locks the classifier, unless it has no model.
func (c *Classifier) lock() error {
	if c.model == nil {
		return errors.New("classifier: no model; a Classifier is made by New, From or Load")
	}
	c.mu.Lock()
	return nil
}

// New returns an untrained classifier with random numbers from src. Of invalid options [errors.As] finds a
// [*bnn.FieldError] with the name.
func New(o Options, src rand.Source) (*Classifier, error) {
	if err := o.validate(); err != nil {
		return nil, fmt.Errorf("classifier: %w", err)
	}
	if o.Hidden == nil {
		o.Hidden = []int{50}
	}
	layers := slices.Concat([]int{o.Inputs}, o.Hidden, []int{o.Classes})
	m, err := NewMixture(bnn.Default(layers...), o.Images, src)
	if err != nil {
		return nil, fmt.Errorf("classifier: %w", err)
	}
	c := From(m, NewHistory(o.Inputs))
	if o.Scale {
		c.Scaling = NewScaling(o.Inputs)
	}
	return c, nil
}

func (o Options) validate() error {
	empty := slices.ContainsFunc(o.Hidden, func(units int) bool { return units < 1 })
	return field.InGo(errors.Join(field.Refuse(o.Inputs < 1, "inputs", o.Inputs, "1 or more"),
		field.Between("classes", 2, bnn.MostClasses, o.Classes),
		field.Refuse(empty, "hidden", o.Hidden, "a number of units ≥ 1 for each layer"),
		field.Refuse(o.Scale && o.Images, "scale", true, "false for images")), o)
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
	if err := c.lock(); err != nil {
		return err
	}
	defer c.mu.Unlock()
	c.latest = nil
	err := c.model.AddClass()
	if err == nil && c.Record != nil && c.Record.Order != nil {
		c.Record.Order.AddClass()
	}
	return err
}

// Learn predicts x, learns x and its class, and records whether the prediction was right. Learn each example
// once: a second pass would record too few errors. An error, of a bad example a [*bnn.ExampleError], changes
// nothing.
func (c *Classifier) Learn(x []float64, class int) error {
	if err := c.lock(); err != nil {
		return err
	}
	defer c.mu.Unlock()
	if len(c.latest) == 0 || !slices.Equal(c.latest, x) {
		_ = c.next(&c.scratch.Details, x) // Observe reports invalid examples; else p is NaN, and not recorded
	}
	scaled := c.Scaling.apply(&c.scaled, x)
	if _, err := c.model.Observe(scaled, class); err != nil {
		return err
	}
	c.latest = c.latest[:0]
	c.add(c.model, &c.forecast, x, scaled, class)
	if c.Scaling != nil {
		c.Scaling.Observe(x)
	}
	return nil
}

// next predicts the next example of the stream.
func (c *Classifier) next(dst *bnn.Prediction, x []float64) error {
	dst.Brief = true
	err := bnn.Before(c.model, dst, c.Scaling.apply(&c.scaled, x))
	c.forecast.set(c.model, dst)
	if c.latest = c.latest[:0]; err == nil {
		c.latest = append(c.latest, x...)
	}
	return err
}

// Prediction is the prediction for one input. Predicting into it again overwrites its slices. As JSON it has no
// details. JSON has no NaN: the prediction after an error cannot be encoded.
type Prediction struct {
	Class       int       `json:"class"`       // the most probable class, or Unknown by the Decision
	P           []float64 `json:"p"`           // probabilities of the classes, 1 in total
	Confidence  float64   `json:"confidence"`  // confidence in the class, see [bnn.Prediction.Confidence]
	Familiarity float64   `json:"familiarity"` // p-value of the hypothesis that the input is like the learned ones

	// Details has the parts of the label variance ([bnn.Prediction.LabelVariance]), the mutual information of
	// label and member, and the most probable class even if Class is Unknown. It is Brief, see [bnn.Prediction];
	// a prediction by Model has the covariance of the probabilities.
	Details bnn.Prediction `json:"-"`
}

// Predict sets dst to the prediction of the next example of the stream. It is as quick as Learn, and makes the
// Learn of the same x quicker. After an error, of a bad input a [*bnn.ExampleError], the class is Unknown and
// the numbers are NaN. Familiarity is by the distribution of the inputs alone. Predicting into dst again
// allocates only for images, and for inputs that are less familiar than all before.
func (c *Classifier) Predict(dst *Prediction, x []float64) error {
	if err := c.lock(); err != nil {
		return dst.fail(err)
	}
	defer c.mu.Unlock()
	if err := c.next(&dst.Details, x); err != nil {
		return dst.fail(err)
	}
	dst.decide(c.Decision, familiarity(c.Familiar, nil, x, dst.Details.Class()))
	return nil
}

// Threshold returns the smallest [Decision.Confidence] at which, with the given confidence, at most the given
// share of predictions is wrong, see [selective.Record.Threshold]; +Inf if there is none. The threshold holds
// for the next examples of the stream, if they are like those of the last half; a gradual drift breaks more
// promises. It is an error if nothing can be promised at all: without a record, or if the classes come in runs.
func (c *Classifier) Threshold(share, confidence float64) (float64, error) {
	if err := c.lock(); err != nil {
		return math.NaN(), err
	}
	defer c.mu.Unlock()
	if c.Record == nil {
		return math.NaN(), errNoRecord
	}
	order := c.Record.Order
	if m, ok := c.model.(*mixture.Mixture); ok {
		order = m.Order()
	}
	if order != nil && order.HasRuns(mixture.LongRuns) {
		return math.NaN(), errOrder
	}
	record := c.Record.Next.joined()
	return record.Threshold(share, confidence)
}

func (p *Prediction) fail(err error) error {
	p.P = append(p.P[:0], p.Details.P...)
	p.Class, p.Confidence, p.Familiarity = Unknown, math.NaN(), math.NaN()
	return err
}

// decide completes p from its details.
func (p *Prediction) decide(d Decision, familiarity float64) {
	p.P = append(p.P[:0], p.Details.P...)
	floats.Scale(1/p.Details.Sum(), p.P)
	p.Class, p.Confidence, p.Familiarity = Unknown, p.Details.Confidence(), familiarity
	if d.Answers(p) {
		p.Class = p.Details.Class()
	}
}

// Answers reports whether the decision is to classify the input of a prediction, by any decision.
func (d Decision) Answers(p *Prediction) bool {
	best := p.Details.Class()
	return best != Unknown && p.Familiarity >= d.Familiarity && p.Confidence >= d.Confidence &&
		p.P[best] >= d.Probability
}
