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

// CheckExamples returns an error of [field.Input] or [field.Class], and panics unless there is one class per example.
func CheckExamples(x [][]float64, class []int, inputs, classes int) error {
	if len(x) != len(class) {
		panic(fmt.Sprintf("mlp: %d examples and %d classes; need one class per example", len(x), len(class)))
	}
	for k, example := range x {
		if err := cmp.Or(field.Class(class[k], classes), field.Input(example, inputs)); err != nil {
			return fmt.Errorf("example %d: %w", k, err)
		}
	}
	return nil
}

// SetInput sets dst to x and a trailing 1. The error is that of [field.Input].
func SetInput(dst, x []float64) error {
	if err := field.Input(x, len(dst)-1); err != nil {
		return err
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

// CheckProbabilities panics unless p has room for those of so many classes.
func CheckProbabilities(p []float64, classes int) {
	if len(p) != classes {
		panic(fmt.Sprintf("mlp: probabilities of length %d; the model has %d classes", len(p), classes))
	}
}

// Start checks the layers, the examples, see [CheckExamples], and the source of a new model, and resolves its
// configuration, see [field.Resolve]. It returns a network of rectifiers with a bias in every layer, copies of the inputs
// with a trailing 1, and random numbers.
func Start(layers []int, cfg any, x [][]float64, class []int, src rand.Source) (n *Network, inputs [][]float64, rnd *rand.Rand, err error) {
	if src == nil {
		panic("mlp: nil source of randomness")
	}
	if err := cmp.Or(CheckLayers(layers), field.Resolve(cfg)); err != nil {
		return nil, nil, nil, err
	}
	n = New(layers, true)
	inputs, err = n.Examples(x, class)
	return n, inputs, rand.New(src), err
}

// CheckLayers returns an error unless the widths are those of a network: the numbers of
// inputs, of rectifiers in each hidden layer, and of classes, at least two.
func CheckLayers(widths []int) error {
	if len(widths) < 2 || slices.Min(widths) < 1 || widths[len(widths)-1] < 2 {
		return fmt.Errorf("layers %v: need at least inputs and classes, at least 1 neuron in every layer, at least 2 classes", widths)
	}
	return nil
}
