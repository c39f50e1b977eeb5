// Package learner trains and scores whatever learns to classify from examples: the
// closed-form network of a manifest, and the baselines.
package learner

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"closedform/core/bnn"
	"closedform/core/features"
	"closedform/core/readout"
	"closedform/runner/internal/engine"
	"closedform/runner/internal/table"
)

// Learner learns one example after another; Predict sets p to the probabilities of the
// classes at x. Methods that learn all examples at once come as [Batch].
type Learner interface {
	Observe(x []float64, class int) error
	Predict(p, x []float64) error
}

// Stepper is a learner some of whose steps cannot be taken as printed.
type Stepper interface{ Steps() Steps }

// Steps counts what became of the examples.
type Steps struct {
	Indefinite, Skipped, Projected int
	Floored                        int // hidden pre-activations whose variance was raised to its floor
	Failed                         bool
}

func (s *Steps) add(of Steps) {
	s.Indefinite += of.Indefinite
	s.Skipped += of.Skipped
	s.Projected += of.Projected
	s.Floored += of.Floored
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

// Tolerant is a learner that may break down, at an example that it refuses or a number
// that overflows. From then on it says that all classes are equally probable.
type Tolerant struct {
	Learner
	Classes int
	Map     *features.Map // from the inputs to what the learner sees; nil: it sees the inputs
	failed  bool
	ctx     context.Context // of the task that an outside learner belongs to

	inputs, mapped [][]float64 // of the last call of see
}

// outside is a learner that another program computes.
type outside interface {
	Bind(ctx context.Context) // kills the program when the context ends
	Release()                 // leaves the program to the next learner of the method in the task
	Close() (seconds float64) // ends the program; returns the processor time of those that have ended
}

// failure is the error of another program. It is no property of the method, and ends the task.
type failure interface {
	error
	Failure()
}

// bind has an outside learner end with the task of the context.
func (t *Tolerant) bind(ctx context.Context) {
	if o, ok := t.Learner.(outside); ok {
		t.ctx = ctx
		o.Bind(ctx)
		engine.AtEnd(ctx, o.Close)
	}
}

// Release says that the learner is not used any more, though its task has not ended.
func (t *Tolerant) Release() {
	if o, ok := t.Learner.(outside); ok {
		o.Release()
	}
}

// note marks the learner as failed if err is not nil.
func (t *Tolerant) note(err error) {
	t.failed = err != nil
	if f, ok := errors.AsType[failure](err); ok {
		engine.Fail(t.ctx, f)
	}
}

// NewTolerant returns a tolerant learner of so many classes.
func NewTolerant(l Learner, classes int) *Tolerant { return &Tolerant{Learner: l, Classes: classes} }

// Observe shows the learner an example. It returns no error.
func (t *Tolerant) Observe(x []float64, class int) error {
	if !t.failed {
		seen, err := t.see([][]float64{x})
		if err == nil {
			err = t.Learner.Observe(seen[0], class)
		}
		t.note(err)
	}
	return nil
}

// see returns what the learner sees of the inputs, until the next call.
func (t *Tolerant) see(x [][]float64) ([][]float64, error) {
	if t.Map == nil {
		return x, nil
	}
	for i, x := range x {
		if i == len(t.inputs) {
			t.inputs, t.mapped = append(t.inputs, nil), append(t.mapped, make([]float64, t.Map.Size))
		}
		if slices.Equal(x, t.inputs[i]) { // it was predicted just before
			continue
		}
		t.inputs[i] = append(t.inputs[i][:0], x...)
		if err := t.Map.Standard(t.mapped[i], x); err != nil {
			return nil, err
		}
	}
	return t.mapped[:len(x)], nil
}

// Readout returns the output layer of a closed-form method with the key output, else nil.
func (t *Tolerant) Readout() *readout.Layer {
	if n := networkOf(t); n != nil {
		l, _ := n.Model.(*readout.Layer)
		return l
	}
	return nil
}

// Model returns the model of a closed-form method, behind its features if it has some.
func (t *Tolerant) Model() bnn.Model {
	m := networkOf(t).Model
	if t.Map != nil {
		return features.Model{Map: t.Map, Model: m}
	}
	return m
}

// Steps returns what became of the examples.
func (t *Tolerant) Steps() Steps {
	var s Steps
	if l, ok := t.Learner.(Stepper); ok {
		s = l.Steps()
	}
	s.Failed = t.failed
	return s
}

// Equal returns n times equal probabilities for all classes.
func Equal(n, classes int) [][]float64 {
	return slices.Repeat([][]float64{slices.Repeat([]float64{1 / float64(classes)}, classes)}, n)
}
