package mlp

import (
	"fmt"
	"math"
	"slices"

	"closedform/core/field"
)

// Examples are labelled inputs, each with a trailing 1 for the bias, in one block
// of memory.
type Examples struct {
	Class []int

	x  []float64
	in int // inputs of an example, with the bias
}

// NewExamples returns a copy of the examples x[k] of the classes class[k]. Its error
// and its panic are those of CheckExamples.
func NewExamples(x [][]float64, class []int, inputs, classes int) (*Examples, error) {
	if err := CheckExamples(x, class, inputs, classes); err != nil {
		return nil, err
	}
	e := &Examples{Class: slices.Clone(class), in: inputs + 1}
	for _, example := range x {
		e.x = append(append(e.x, example...), 1)
	}
	return e, nil
}

// CheckExamples returns an error if an input is not finite or a class is not one of
// 0 to classes−1, and panics if the lengths do not fit.
func CheckExamples(x [][]float64, class []int, inputs, classes int) error {
	if len(x) != len(class) {
		panic(fmt.Sprintf("mlp: %d examples and %d classes; need one class per example", len(x), len(class)))
	}
	for k, example := range x {
		if len(example) != inputs {
			panic(fmt.Sprintf("mlp: example %d has length %d; the model has %d inputs", k, len(example), inputs))
		}
		if c := class[k]; c < 0 || c >= classes {
			return fmt.Errorf("example %d: class %d: need 0 to %d", k, c, classes-1)
		}
		if err := CheckInput(example); err != nil {
			return fmt.Errorf("example %d: %w", k, err)
		}
	}
	return nil
}

// Len returns the number of examples.
func (e *Examples) Len() int { return len(e.Class) }

// Inputs returns the length of an example, with its trailing 1.
func (e *Examples) Inputs() int { return e.in }

// Input returns example k, which must not be modified.
func (e *Examples) Input(k int) []float64 { return e.x[k*e.in : (k+1)*e.in] }

// SetInput sets dst to x and a trailing 1. It returns an error if x is not finite,
// and panics unless dst is longer than x by one.
func SetInput(dst, x []float64) error {
	if len(x) != len(dst)-1 {
		panic(fmt.Sprintf("mlp: input of length %d; the model has %d inputs", len(x), len(dst)-1))
	}
	if err := CheckInput(x); err != nil {
		return err
	}
	copy(dst, x)
	dst[len(x)] = 1
	return nil
}

// CheckInput returns an error unless all of x is finite.
func CheckInput(x []float64) error {
	for i, xi := range x {
		if !Finite(xi) {
			return fmt.Errorf("input %d is %g; need a finite number", i, xi)
		}
	}
	return nil
}

// Finite says whether all numbers are finite.
func Finite(x ...float64) bool {
	for _, a := range x {
		if !(math.Abs(a) <= math.MaxFloat64) {
			return false
		}
	}
	return true
}

// CheckLayers returns an error unless the widths are those of a network: the numbers of
// inputs, of rectifiers in each hidden layer, and of classes, at least two.
func CheckLayers(widths []int) error {
	if len(widths) < 2 || slices.Min(widths) < 1 || widths[len(widths)-1] < 2 {
		return fmt.Errorf("layers %v: need at least inputs and classes, at least 1 neuron in every layer, at least 2 classes", widths)
	}
	return nil
}

// CheckVariance returns an error of package field unless v may be that of a prior.
func CheckVariance(key string, v float64) error { return field.Within(key, v, 1e-12, 1e12) }
