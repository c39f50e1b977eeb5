// Package majority has classifiers that predict the same whatever the input: the frequencies of the classes,
// or the class of the last example.
package majority

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/learners/mlp"
	"closedform/internal/field"
	"closedform/internal/kernel"
)

// Config is empty: there is nothing to choose.
type Config struct{}

// Model predicts the frequencies of the classes whatever the input.
type Model struct {
	count []float64 // examples of each class, plus one: Laplace's rule of succession
}

// New returns a model without examples, for inputs of any length. It does not use the source.
func New(_ Config, _, classes int, _ rand.Source) (*Model, error) {
	if classes < 2 {
		return nil, fmt.Errorf("majority: %d classes: need at least 2", classes)
	}
	return &Model{count: slices.Repeat([]float64{1}, classes)}, nil
}

// Observe counts the class of an example.
func (m *Model) Observe(x []float64, class int) error {
	if err := cmp.Or(field.Class(class, len(m.count)), field.Input(x, len(x))); err != nil {
		return err
	}
	m.count[class]++
	return nil
}

// Predict sets p to p_c = (N_c + 1)/(N + n) for the n classes after N examples, N_c of class c.
func (m *Model) Predict(p, x []float64) error {
	mlp.CheckProbabilities(p, len(m.count))
	if err := field.Input(x, len(x)); err != nil {
		return err
	}
	floats.ScaleTo(p, 1/kernel.Sum(m.count), m.count)
	return nil
}

// Last predicts the class of the last example: the no-change, or persistent, classifier of data streams
// (Bifet et al., "Pitfalls in benchmarking data stream classification", ECML PKDD 2013).
type Last struct {
	*Model
	class int // of the last example; -1: there is none
	same  int // how many examples had the class of the one before
}

// NewLast returns a model without examples, for inputs of any length. It does not use the source.
func NewLast(cfg Config, inputs, classes int, src rand.Source) (*Last, error) {
	m, err := New(cfg, inputs, classes, src)
	return &Last{Model: m, class: -1}, err
}

// Observe notes the class of an example.
func (l *Last) Observe(x []float64, class int) error {
	if err := l.Model.Observe(x, class); err != nil {
		return err
	}
	if class == l.class {
		l.same++
	}
	l.class = class
	return nil
}

// Predict sets p to equal probabilities before the first example. After N examples, S of which had the class
// of the one before, the last class c of the n has the probability
//
//	p_c = max((S + 1)/(N + 1), (1 + 10⁻⁶)/n),
//
// by Laplace's rule of succession for the N − 1 pairs, but always the largest. The others share the rest
// equally.
func (l *Last) Predict(p, x []float64) error {
	if err := l.Model.Predict(p, x); err != nil || l.class < 0 {
		return err
	}
	classes := float64(len(p))
	examples := kernel.Sum(l.count) - classes
	again := max(float64(l.same+1)/(examples+1), (1+1e-6)/classes)
	for c := range p {
		p[c] = (1 - again) / (classes - 1)
	}
	p[l.class] = again
	return nil
}
