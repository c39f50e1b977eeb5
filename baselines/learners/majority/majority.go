// Package majority is a classifier that predicts the frequencies of the classes, whatever the input.
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
