package manifest

import (
	"fmt"
	"strings"

	"closedform/runner/internal/dataset"
)

// Data says which examples are drawn.
type Data struct {
	Generator string // one of dataset.Names, of those that the study takes; required
	Train     int    // number of training examples, ≥ 1; required

	// Of the generators that have them; 0: the generator's default.
	Noise float64
	Arms  int
	Rings int
}

func (d *Data) fields(f *fields, generators ...string) {
	field(f, "generator", &d.Generator, word(generators...))
	field(f, "train", &d.Train, integer(1, maxTrain))
	d.law(f)
}

// law goes over the parameters of the generators.
func (d *Data) law(f *fields) {
	field(f, "noise", &d.Noise, orZero(within(0, 10)))
	field(f, "arms", &d.Arms, orZero(integer(0, 100)))
	field(f, "rings", &d.Rings, orZero(integer(0, 100)))
}

// Task returns the law of the examples.
func (d *Data) Task() dataset.Task {
	return dataset.Task{Name: d.Generator, Noise: d.Noise, Arms: d.Arms, Rings: d.Rings}
}

func (d *Data) check(t *table) {
	if err := d.Task().Validate(); err != nil {
		t.reject("generator", strings.TrimPrefix(err.Error(), "dataset: "))
	}
}

// shape is what the layers of a network must fit.
type shape struct {
	of              string // what has it
	inputs, classes int
}

func (d *Data) shape() shape {
	task := d.Task()
	return shape{fmt.Sprintf("data.generator = %q", d.Generator), task.Inputs(), task.Classes()}
}
