package mlp

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"closedform/internal/field"
)

// Examples checks examples, see [CheckExamples], and returns copies of the inputs with a trailing 1.
func (n *Network) Examples(x [][]float64, class []int) (inputs [][]float64, err error) {
	if err := CheckExamples(x, class, n.Inputs, n.Outputs()); err != nil {
		return nil, err
	}
	for _, example := range x {
		inputs = append(inputs, append(slices.Clone(example), 1))
	}
	return inputs, nil
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
		if err := cmp.Or(CheckClass(class[k], classes), CheckInput(example)); err != nil {
			return fmt.Errorf("example %d: %w", k, err)
		}
	}
	return nil
}

// SetInput sets dst to x and a trailing 1. It returns an error if x is not finite,
// and panics unless dst is longer than x by one.
func SetInput(dst, x []float64) error {
	CheckLength(x, len(dst)-1)
	if err := CheckInput(x); err != nil {
		return err
	}
	copy(dst, x)
	dst[len(x)] = 1
	return nil
}

// CheckLength panics unless x has so many inputs.
func CheckLength(x []float64, inputs int) {
	if len(x) != inputs {
		panic(fmt.Sprintf("mlp: input of length %d; the model has %d inputs", len(x), inputs))
	}
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

// CheckClass returns an error unless the class is one of 0 to classes−1.
func CheckClass(class, classes int) error {
	if class < 0 || class >= classes {
		return fmt.Errorf("class %d; the model has classes 0 to %d", class, classes-1)
	}
	return nil
}

// CheckProbabilities panics unless p has room for those of so many classes.
func CheckProbabilities(p []float64, classes int) {
	if len(p) != classes {
		panic(fmt.Sprintf("mlp: probabilities of length %d; the model has %d classes", len(p), classes))
	}
}

// Start checks layers, configuration and source of a new model. It returns a network of rectifiers
// with a bias in every layer, and random numbers.
func Start(layers []int, cfg interface{ Validate() error }, src rand.Source) (*Network, *rand.Rand, error) {
	if src == nil {
		panic("mlp: nil source of randomness")
	}
	if err := cmp.Or(CheckLayers(layers), cfg.Validate()); err != nil {
		return nil, nil, err
	}
	return New(layers, true), rand.New(src), nil
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
