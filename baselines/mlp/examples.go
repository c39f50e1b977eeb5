package mlp

import (
	"fmt"
	"math"
	"slices"
)

// Examples are labelled inputs, each with a trailing 1 for the bias, in one block
// of memory.
type Examples struct {
	Class []int

	x  []float64
	in int // inputs of an example, with the bias
}

// NewExamples returns a copy of the examples x[k] of the classes class[k]. It
// returns an error if an input is not finite or a class is not one of 0 to
// classes−1, and panics if the lengths do not fit.
func NewExamples(x [][]float64, class []int, inputs, classes int) (*Examples, error) {
	if len(x) != len(class) {
		panic(fmt.Sprintf("mlp: %d examples and %d classes; need one class per example", len(x), len(class)))
	}
	e := &Examples{Class: slices.Clone(class), x: make([]float64, len(x)*(inputs+1)), in: inputs + 1}
	for k, example := range x {
		if c := class[k]; c < 0 || c >= classes {
			return nil, fmt.Errorf("example %d: class %d: need 0 to %d", k, c, classes-1)
		}
		if err := SetInput(e.Input(k), example); err != nil {
			return nil, fmt.Errorf("example %d: %w", k, err)
		}
	}
	return e, nil
}

// Len returns the number of examples.
func (e *Examples) Len() int { return len(e.Class) }

// Input returns example k, which must not be modified.
func (e *Examples) Input(k int) []float64 { return e.x[k*e.in : (k+1)*e.in] }

// SetInput sets dst to x and a trailing 1. It returns an error if x is not finite,
// and panics unless dst is longer than x by one.
func SetInput(dst, x []float64) error {
	if len(x) != len(dst)-1 {
		panic(fmt.Sprintf("mlp: input of length %d; the model has %d inputs", len(x), len(dst)-1))
	}
	for i, xi := range x {
		if !Finite(xi) {
			return fmt.Errorf("input %d is %g; need a finite number", i, xi)
		}
	}
	copy(dst, x)
	dst[len(x)] = 1
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

// CheckLayers returns an error, of a field Layers of the owner, unless the widths are those of a network: at least
// inputs and classes, at least one neuron each, at least two classes.
func CheckLayers(owner string, widths []int) error {
	if len(widths) < 2 {
		return fmt.Errorf("%s: Layers = %v: need at least inputs and classes", owner, widths)
	}
	for _, width := range widths {
		if width < 1 {
			return fmt.Errorf("%s: Layers = %v: every layer needs at least 1 neuron", owner, widths)
		}
	}
	if widths[len(widths)-1] < 2 {
		return fmt.Errorf("%s: Layers = %v: need at least 2 classes", owner, widths)
	}
	return nil
}
