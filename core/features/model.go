package features

import (
	"cmp"
	"fmt"
	"math"

	"closedform/core/bnn"
)

// Model is a model that learns and predicts the features of its inputs, see [Map.Standard]. It refers to
// both, and may be used by several goroutines as the model may. An input of the wrong length or that is
// not finite is an error.
type Model struct {
	*Map
	bnn.Model
}

// Observe learns an example, by the model.
func (m Model) Observe(x []float64, class int) (bnn.Update, error) {
	y, err := m.mapped(x)
	u, refused := m.Model.Observe(y, class)
	return u, cmp.Or(err, refused)
}

// Predict sets dst to the prediction of the model.
func (m Model) Predict(dst *bnn.Prediction, x []float64) error {
	y, err := m.mapped(x)
	return cmp.Or(err, m.Model.Predict(dst, y))
}

// Before implements [bnn.Model], by the model.
func (m Model) Before(dst *bnn.Prediction, x []float64) error {
	y, err := m.mapped(x)
	return cmp.Or(err, m.Model.Before(dst, y))
}

// mapped returns the features of x.
func (m Model) mapped(x []float64) ([]float64, error) {
	y := make([]float64, m.Size)
	return y, m.Standard(y, x)
}

// Shape returns the numbers of inputs of the map and of classes.
func (m Model) Shape() (inputs, classes int) {
	_, classes = m.Model.Shape()
	return m.Inputs, classes
}

// standard has the mean and the standard deviation that features about have: of [Relu] √(1/π) and
// √(1 − 1/π), if the squares of the inputs are 1 in the mean, and of [Conv] those on images of digits.
var standard = map[Kind]struct{ mean, sd float64 }{Relu: {0.564, 0.826}, Conv: {0.95, 0.2}}

// Standard sets dst to the features of x less a mean and divided by a standard deviation, which
// are fixed for each kind, as networks learn best from inputs of mean 0 and variance 1. If the length of
// x is not the number of inputs, or x is not finite, it returns an error, and the features are NaN.
func (m *Map) Standard(dst, x []float64) error {
	if err := m.check(x); err != nil {
		for i := range dst {
			dst[i] = math.NaN()
		}
		return err
	}
	m.Apply(dst, x)
	s := standard[m.Kind]
	for i, v := range dst {
		dst[i] = (v - s.mean) / s.sd
	}
	return nil
}

func (m *Map) check(x []float64) error {
	if len(x) != m.Inputs {
		return fmt.Errorf("features: input of length %d; the map has %d inputs", len(x), m.Inputs)
	}
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("features: input %d is %g; need a finite number", i, v)
		}
	}
	return nil
}

var _ bnn.Model = Model{}
