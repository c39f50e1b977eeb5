// Package learner trains whatever learns to classify from examples, the closed-form network of a manifest
// and the baselines, and scores it. To read it, begin with
//
//	method.go    Method, a table [[method]] of a manifest
//	kinds.go     the kinds of methods, a line each
//	model.go     Model, the keys of the closed-form network; network.go makes it and has it learn
//	learner.go   Classifier, what studies train and ask for predictions
//	training.go  Training, the loop that chooses among candidates, trains and scores
//	tables.go    Learners, the part of a manifest about methods: sweeps, and what a study allows
package learner

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"closedform/core/bnn"
	"closedform/core/features"
	"closedform/runner/internal/engine"
	"closedform/runner/internal/table"
)

// Predictor sets p to the probabilities of the classes at x.
type Predictor interface {
	Predict(p, x []float64) error
}

// Learner learns one example after another. Methods that learn all examples at once come as [Batch].
type Learner interface {
	Predictor
	Observe(x []float64, class int) error
}

// Stepper is a learner some of whose steps cannot be taken as printed.
type Stepper interface{ Steps() Steps }

// Steps counts what became of the examples.
type Steps struct {
	Indefinite, Skipped, Projected int
	Floored                        int // hidden pre-activations whose variance was raised to its floor
	Failed                         bool
}

func (s *Steps) add(other Steps) {
	s.Indefinite += other.Indefinite
	s.Skipped += other.Skipped
	s.Projected += other.Projected
	s.Floored += other.Floored
}

// StepColumns returns the columns of [Steps.Row].
func StepColumns() []table.Column {
	return []table.Column{
		table.Int("indefinite_steps", "examples whose step was indefinite as printed"),
		table.Int("skipped_steps", "examples whose step was not taken"),
		table.Int("projected_steps", "those that were taken after a repair"),
		table.Int("floored", "hidden pre-activations whose variance was raised to its floor"),
		table.Int("failed", "1 if the learner broke down; it predicts equal probabilities from then on"),
	}
}

// StepNames are the names of the StepColumns.
var StepNames = table.Names(StepColumns())

// Row returns the counts in the order of StepColumns.
func (s Steps) Row() []any {
	return []any{s.Indefinite, s.Skipped, s.Projected, s.Floored, s.Failed}
}

// BrokenDown returns a note on each method of the table, which has the StepColumns and a row
// for each run, that broke down in some runs.
func BrokenDown(runs *table.Table) (notes []string) {
	for _, method := range runs.Distinct("method") {
		all := runs.Where("method", method)
		if failed := all.Where("failed", 1).Len(); failed > 0 {
			notes = append(notes, fmt.Sprintf("%s broke down in %d of %d runs, and is scored there as equal probabilities",
				method, failed, all.Len()))
		}
	}
	return notes
}

// Classifier is a learner behind its features. When the learner breaks down, at an example that it refuses
// or a number that overflows, it learns no more, and predicts equal probabilities. It is not safe for concurrent use.
type Classifier struct {
	Learner Learner
	Classes int
	Map     *features.Map // from the inputs to what the learner sees; nil: it sees the inputs
	Err     error         // why the learner broke down; nil: it has not

	ctx            context.Context // of the task that another program ends with
	inputs, mapped [][]float64     // the latest inputs, and their features
}

// NewClassifier returns a classifier of so many classes without features.
func NewClassifier(l Learner, classes int) *Classifier {
	return &Classifier{Learner: l, Classes: classes}
}

// program is a learner that another program computes.
type program interface {
	Bind(ctx context.Context) // kills the program when the context ends
	Release()                 // leaves the program to the next learner of the method in the task
	Close() (seconds float64) // ends the program; returns the processor time of those that have ended
}

// bind has a program end with the task of the context.
func (c *Classifier) bind(ctx context.Context) {
	if p, ok := c.Learner.(program); ok {
		c.ctx = ctx
		p.Bind(ctx)
		engine.AtEnd(ctx, p.Close)
	}
}

// release leaves a program to the next learner of the task.
func (c *Classifier) release() {
	if p, ok := c.Learner.(program); ok {
		p.Release()
	}
}

// record marks the learner as broken down if err is not nil. The failure of a program is no property of the
// method, and ends the task.
func (c *Classifier) record(err error) {
	if err == nil {
		return
	}
	c.Err = err
	if f, ok := errors.AsType[interface {
		error
		Failure()
	}](err); ok {
		engine.Fail(c.ctx, f)
	}
}

// Observe learns an example.
func (c *Classifier) Observe(x []float64, class int) {
	if c.Err != nil {
		return
	}
	mapped, err := c.features([][]float64{x})
	if err == nil {
		err = c.Learner.Observe(mapped[0], class)
	}
	c.record(err)
}

// features returns what the learner sees of the inputs, until the next call.
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

// Network returns the closed-form network that learns, nil if it is another method.
func (c *Classifier) Network() *Network {
	n, _ := c.Learner.(*Network)
	return n
}

// Model returns the model of a closed-form method, behind its features if it has some.
func (c *Classifier) Model() bnn.Model {
	m := c.Network().Model
	if c.Map != nil {
		return features.Model{Map: c.Map, Model: m}
	}
	return m
}

// Steps returns what became of the examples.
func (c *Classifier) Steps() Steps {
	var s Steps
	if l, ok := c.Learner.(Stepper); ok {
		s = l.Steps()
	}
	s.Failed = c.Err != nil
	return s
}
