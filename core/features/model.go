package features

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"closedform/core/bnn"
)

// Model is a model that learns and predicts the features of its inputs. It refers to both, and may be
// used by several goroutines as the model may. An input of the wrong length or that is not finite is an
// error.
type Model struct {
	*Map
	bnn.Model
}

// Observe learns an example, by the model.
func (m Model) Observe(x []float64, class int) (bnn.Update, error) {
	y, err := m.of(x)
	u, refused := m.Model.Observe(y, class)
	return u, cmp.Or(err, refused)
}

// Predict sets dst to the prediction of the model.
func (m Model) Predict(dst *bnn.Prediction, x []float64) error {
	y, err := m.of(x)
	return cmp.Or(err, m.Model.Predict(dst, y))
}

// Shape returns the numbers of inputs of the map and of classes.
func (m Model) Shape() (inputs, classes int) {
	_, classes = m.Model.Shape()
	return m.Inputs, classes
}

// of returns the features of x; after an error they are NaN, which the model refuses.
func (m Model) of(x []float64) ([]float64, error) {
	y := make([]float64, m.Size)
	if err := m.Check(x); err != nil {
		return slices.Repeat([]float64{math.NaN()}, m.Size), err
	}
	m.Apply(y, x)
	return y, nil
}

// Check returns an error unless x is an input of the map, all numbers of which are finite.
func (m *Map) Check(x []float64) error {
	if len(x) != m.Inputs {
		return fmt.Errorf("features: input of length %d; the map has %d inputs", len(x), m.Inputs)
	}
	for i, v := range x {
		if v-v != 0 {
			return fmt.Errorf("features: input %d is %g; need a finite number", i, v)
		}
	}
	return nil
}

var _ bnn.Model = Model{}
